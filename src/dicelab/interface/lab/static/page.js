// The tab of this page is in view on narrow screens.
const tab = document.querySelector(".tabs [aria-current]");
if (tab) tab.parentNode.scrollLeft = tab.offsetLeft - tab.parentNode.offsetLeft - (tab.parentNode.clientWidth - tab.offsetWidth) / 2;

// Buttons that copy the command line, the Python, or the address.
for (const button of document.querySelectorAll("[data-copy]")) {
  if (!navigator.clipboard) continue;
  button.hidden = false;
  const label = button.textContent;
  button.addEventListener("click", async () => {
    const what = button.dataset.copy;
    await navigator.clipboard.writeText(what === "address" ? location.href : document.getElementById(what).textContent);
    button.textContent = "copied";
    setTimeout(() => { button.textContent = label; }, 1500);
  });
}
