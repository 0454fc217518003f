// Dice or tiles that are clicked make up a move; the button says which, and what it scores. Digits pick them as well.
const area = document.getElementById("pick"), go = document.getElementById("picked");
const picks = [...area.querySelectorAll("button")];
const moves = new Map([...document.querySelectorAll("a[data-picks]")].map((a) => [a.dataset.picks, a]));
const pressed = (pick) => pick.getAttribute("aria-pressed") === "true";
const press = (pick, on) => pick.setAttribute("aria-pressed", on);

// Whether some move has all that is clicked, and more.
function begins(clicked) {
  return [...moves.keys()].some((all) => { const left = all.split(" "); return clicked.every((one) => left.includes(one) && left.splice(left.indexOf(one), 1)); });
}

function show() {
  const clicked = picks.filter(pressed).map((pick) => pick.dataset.label), chosen = clicked.join(" ") || "nothing", move = moves.get(chosen);
  go.classList.toggle("off", !move);
  if (move) go.href = move.href; else go.removeAttribute("href");
  go.textContent = move ? `${area.dataset.verb} ${move.dataset.words}` : chosen === "nothing" ? "click what you choose" : `${chosen}: ${begins(clicked) ? "choose more" : "not allowed"}`;
}

for (const pick of picks) pick.addEventListener("click", () => { press(pick, !pressed(pick)); show(); });
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.target.matches("input, select, textarea")) return;
  const alike = picks.filter((pick) => pick.dataset.label.toLowerCase() === event.key.toLowerCase());
  if (alike.length) {
    const next = alike.find((pick) => !pressed(pick));
    if (next) press(next, true); else alike.forEach((pick) => press(pick, false));
    show();
  } else if (event.key === "Enter" && go.href && !event.target.matches("a, button, summary")) go.click();
});
go.hidden = false;
const every = document.getElementById("every");
every.open = "coach" in every.dataset;
show();
