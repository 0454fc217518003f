// A key for each move: the one printed on its button, or its first letter where that is the only one.
const found = () => [...document.querySelectorAll("a[data-key], button[data-key]")];
const byKey = (key, buttons = found()) => buttons.find((b) => b.dataset.key === key || b.dataset.also === key)
  || ((found) => (found.length === 1 ? found[0] : undefined))(buttons.filter((b) => b.textContent.replace(b.dataset.key, "").trim().toLowerCase().startsWith(key)));
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.target.matches("input, select, textarea")) return;
  if (event.key === "Enter" && event.target.matches("a, button, summary")) return;
  const button = byKey(event.key.length === 1 ? event.key.toLowerCase() : event.key);
  if (button) { event.preventDefault(); button.click(); }
});
