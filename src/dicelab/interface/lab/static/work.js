// What is done for an answer that this page waits for: stages, the time that is left, and buttons that cancel it or let it
// go on when the page is left.
import { remember } from "/static/behind.js";

const button = (label, press) => {
  const made = document.createElement("button");
  Object.assign(made, { type: "button", className: "quiet", textContent: label, onclick: press });
  return made;
};
const post = (number, word) => fetch(`/jobs/${number}/${word}`, { method: "POST", headers: { "X-Dicelab-Token": document.querySelector("meta[name=token]").content } });
const span = (left) => (left < 90 ? `${Math.ceil(left)} s` : `${Math.round(left / 60)} minutes`);

// Shows the work in a place until it has ended; returns how.
export async function watch(place) {
  const number = place.dataset.work, box = place.querySelector(".working");
  if (!number || !box) return {};
  const told = document.createElement("span"), stage = document.createElement("span"), words = document.createElement("p"), buttons = document.createElement("p");
  told.setAttribute("aria-hidden", "true");
  stage.className = "stage";
  stage.setAttribute("aria-hidden", "true");
  buttons.className = "controls";
  words.setAttribute("role", "status");
  const agreed = async (word) => {
    const response = await post(number, word);
    if (!response.ok) words.textContent = (await response.json()).error;
    return response.ok;
  };
  const behind = button("Go on in the background", async () => {
    if (!(await agreed("behind"))) return;
    remember(number);
    behind.remove();
    words.textContent = "You may leave this page: the work goes on, for up to an hour, and a notice on the other pages says when it is done.";
  });
  if (place.dataset.shown === undefined) buttons.append(button("Cancel", () => agreed("cancel"))); // else its page goes on without
  buttons.append(behind);
  box.append(" ", told, stage, words, buttons);
  for (;;) {
    const response = await fetch(`/jobs/${number}`);
    if (!response.ok) return {};
    const now = await response.json();
    if (now.behind && behind.isConnected) behind.remove();
    told.textContent = `${Math.round(now.seconds)} s so far${now.left === null ? "" : `, about ${span(now.left)} left for this stage`}.`;
    stage.textContent = now.stage.join("\n");
    if (now.ended) return now;
    await new Promise((done) => setTimeout(done, 300));
  }
}
