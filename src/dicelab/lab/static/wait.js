// Puts an answer into its place once it is known. Leaving the page ends the request, and with it the work.
const place = document.getElementById("answer");
try {
  const response = await fetch(place.dataset.part);
  place.innerHTML = await response.text();
} catch {
  place.innerHTML = '<p class="notice bad">The lab does not answer; is it still running?</p>';
}
