// Shows the page again once the game is solved, or when somebody wants to begin again.
import { watch } from "/static/work.js";

const place = document.getElementById("solving");
watch(place).then((now) => {
  if (!now.cancelled) return location.reload();
  const again = document.createElement("a");
  Object.assign(again, { className: "button", href: location.href, textContent: "Begin again" });
  place.replaceChildren("Cancelled. ", again);
}).catch(() => setTimeout(() => location.reload(), 1000));
