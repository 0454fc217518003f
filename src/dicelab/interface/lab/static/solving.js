// Shows the page again once the game is solved, or its estimates are there, or when somebody wants to begin again. A page
// that shows estimates already stays as it is while somebody is about to make a move. If the lab was stopped, the page says
// so and stays: a browser would put an error of its own in its place.
import { watch } from "/static/work.js";

const place = document.getElementById("solving"), shown = place.dataset.shown !== undefined;

function stopped(words, label) {
  const again = document.createElement("a");
  Object.assign(again, { className: "button", href: location.href, textContent: label });
  if (shown) again.classList.add("quiet");
  place.replaceChildren(words, again);
}

// Whether a move has been begun, which would be lost: typed, or dice that are picked.
const isBegun = () => Boolean(document.getElementById("say")?.value || document.querySelector("#pick [aria-pressed=true]"));

async function ended(number) {
  for (;;) {
    const response = await fetch(`/jobs/${number}`);
    if (!response.ok || (await response.json()).ended) return {};
    await new Promise((done) => setTimeout(done, 300));
  }
}

const waits = [watch(place), ...(place.dataset.also ? [ended(place.dataset.also)] : [])];
Promise.race(waits).then((now) => {
  if (now.cancelled) stopped("Cancelled. ", "Begin again");
  else if (shown && now.error) place.querySelector(".notice").append(` Exact values are not known: ${now.error}.`);
  else if (shown && isBegun()) stopped("The game is solved. ", "Show the exact values");
  else location.reload();
}).catch(() => stopped("The lab does not answer; is it still running? ", "Ask again"));
