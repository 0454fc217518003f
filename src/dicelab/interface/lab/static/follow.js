// Puts the content of another address, or of this one as it is now, in the place of what the page shows.
import { watch } from "/static/work.js";

const main = document.getElementById("content");

export async function follow(address, signal) {
  const response = await fetch(address, { signal });
  const found = new DOMParser().parseFromString(await response.text(), "text/html").getElementById("content");
  main.replaceChildren(...found.childNodes);
  return response;
}

// A question that was not understood has no command.
export const drop = (place) => { if (place.querySelector("[data-refused]")) main.querySelector(".same")?.remove(); };

// Says each second how long an answer has been worked on; returns the timer. Screen readers are spared it.
const count = (place) => {
  const began = Date.now(), said = document.createElement("span");
  said.setAttribute("aria-hidden", "true");
  place.querySelector(".working")?.append(" ", said);
  return setInterval(() => { said.textContent = `${Math.round((Date.now() - began) / 1000)} s so far.`; }, 1000);
};

// The answers that the page has places for.
export const fill = (signal) => Promise.all([...main.querySelectorAll("[data-part]")].map(async (place) => {
  const timer = place.dataset.work ? watch(place).catch(() => {}) && 0 : count(place);
  try {
    const response = await fetch(place.dataset.part, { signal });
    const text = await response.text();
    if (response.status === 500) throw new Error(text);  // the lab is being stopped
    place.innerHTML = text;
  } finally {
    clearInterval(timer);
  }
  drop(place);
}));
