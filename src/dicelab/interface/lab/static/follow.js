// Puts the content of another address, or of this one as it is now, in the place of what the page shows.
const main = document.getElementById("content");

export async function follow(address, signal) {
  const response = await fetch(address, { signal });
  const found = new DOMParser().parseFromString(await response.text(), "text/html").getElementById("content");
  main.replaceChildren(...found.childNodes);
  return response;
}

// A question that was not understood has no command.
export const drop = (place) => { if (place.querySelector("[data-refused]")) main.querySelector(".same")?.remove(); };

// The answers that the page has places for.
export const fill = (signal) => Promise.all([...main.querySelectorAll("[data-part]")].map(async (place) => {
  const response = await fetch(place.dataset.part, { signal });
  place.innerHTML = await response.text();
  drop(place);
}));
