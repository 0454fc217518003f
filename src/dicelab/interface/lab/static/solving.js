// Shows the page again once the game is solved, or when somebody wants to begin again. If the lab was stopped, the page
// says so and stays: a browser would put an error of its own in its place.
import { watch } from "/static/work.js";

const place = document.getElementById("solving");

function stopped(words, label) {
  const again = document.createElement("a");
  Object.assign(again, { className: "button", href: location.href, textContent: label });
  place.replaceChildren(words, again);
}

watch(place).then((now) => {
  if (now.cancelled) stopped("Cancelled. ", "Begin again");
  else location.reload();
}).catch(() => stopped("The lab does not answer; is it still running? ", "Ask again"));
