// Shows a game in which no person chooses step by step, at a pace that is chosen; the button starts and pauses it.
import { follow } from "/static/follow.js";

const place = document.getElementById("pace"), button = place.querySelector("button"), pace = place.querySelector("select");
const next = () => document.querySelector("a[data-next]");
let waiting = 0, playing = false;

function show(on) {
  playing = on;
  clearTimeout(waiting);
  button.querySelector("span").textContent = on ? "Pause" : "Play by itself";
  place.hidden = !next();
}

async function step() {
  try {
    const response = await follow(next().href);
    history.replaceState(null, "", response.url);
    show(playing && response.ok && next() !== null);
    if (playing) waiting = setTimeout(step, pace.value);
  } catch {
    show(false);
    button.querySelector("span").textContent = "The lab does not answer; try again";
  }
}

pace.value = localStorage.getItem("dicelab-pace") ?? "1200";
pace.addEventListener("change", () => localStorage.setItem("dicelab-pace", pace.value));
button.addEventListener("click", () => { show(!playing); if (playing) step(); });
show(false);
