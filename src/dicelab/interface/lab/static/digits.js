// A button that shows the numbers of tables with the digits that the commands print, and with three again.
const main = document.getElementById("content"), button = document.createElement("button");
let every = localStorage.getItem("dicelab-digits") === "every";
button.type = "button";
button.className = "quiet digits";

const write = (place, text) => { if (place.textContent !== text) place.textContent = text; };  // or each look makes another

function show() {
  const numbers = main.querySelectorAll("data[value]");
  for (const number of numbers) {
    number.dataset.brief ??= number.textContent;
    write(number, every ? number.value : number.dataset.brief);
  }
  write(button, every ? "fewer digits" : "more digits");
  const table = numbers[0]?.closest("table, p");
  if (table && !button.isConnected) (table.closest(".scroll") ?? table).after(button);
}

button.addEventListener("click", () => {
  every = !every;
  localStorage.setItem("dicelab-digits", every ? "every" : "brief");
  show();
});
new MutationObserver(show).observe(main, { childList: true, subtree: true });
show();
