// Dark or light, as the system says or as chosen here; and settings that narrow screens fold away while there is an
// answer to be seen. It runs before the page is shown.
const kept = localStorage.getItem("dicelab-theme");
if (kept) document.documentElement.dataset.theme = kept;
addEventListener("DOMContentLoaded", () => {
  const button = document.getElementById("theme");
  button.hidden = false;
  button.addEventListener("click", () => {
    const root = document.documentElement;
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    localStorage.setItem("dicelab-theme", root.dataset.theme);
    dispatchEvent(new Event("recolour"));
  });
});
addEventListener("DOMContentLoaded", () => {
  const narrow = matchMedia("(max-width: 800px)"), fold = document.querySelector(".fold:not([data-asks])");
  if (!fold) return;
  const adapt = () => { fold.open = !narrow.matches; };
  narrow.addEventListener("change", adapt);
  adapt();
});
