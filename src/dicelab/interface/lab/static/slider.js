// A slider beside each number of the settings; the answer follows it. The page of the new settings is fetched, and its
// content takes the place of this one's, so that the command, the Python and the address follow as well.
import { fill, follow } from "/static/follow.js";

const form = document.querySelector("aside form"), main = document.getElementById("content");
const WIDEST = 200;
let request = null, waiting = 0;

async function ask() {
  if (request) request.abort();  // which ends the work for it
  request = new AbortController();
  const { signal } = request;
  try {
    const response = await follow(`${location.pathname}?${new URLSearchParams(new FormData(form))}`, signal);
    for (const button of main.querySelectorAll("[data-copy]")) button.hidden = true;
    if (response.ok) history.replaceState(null, "", response.url);
    await fill(signal);
  } catch (error) {
    if (error.name !== "AbortError") main.innerHTML = '<p class="notice bad">The lab does not answer; is it still running?</p>';
  }
}

for (const number of form.querySelectorAll("input[type=number]")) {
  if (!number.min || !number.max || number.max - number.min > WIDEST) continue;
  const slider = Object.assign(document.createElement("input"), { type: "range", min: number.min, max: number.max, value: number.value });
  slider.setAttribute("aria-label", number.name);
  number.closest("label").after(slider);
  slider.addEventListener("input", () => { number.value = slider.value; number.dispatchEvent(new Event("input")); });
  number.addEventListener("input", () => {
    slider.value = number.value;
    clearTimeout(waiting);
    if (number.checkValidity()) waiting = setTimeout(ask, 150);
  });
}
