// Asks for the page again, until what it waits for is known.
setTimeout(() => location.reload(), 1000);
