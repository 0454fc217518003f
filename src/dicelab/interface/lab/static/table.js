// Sends a table of results to the lab, from a file that is chosen or dropped, and asks for its judgement.
const place = document.getElementById("drop"), refused = document.getElementById("refused");
const token = document.querySelector("meta[name=token]").content;

async function give(file) {
  refused.textContent = `reading ${file.name}`;
  try {
    const response = await fetch(place.dataset.table, { method: "POST", headers: { "X-Dicelab-Token": token }, body: file });
    if (!response.ok) throw new Error(await response.text());
    location = place.dataset.then.replace("WORD", (await response.json()).table);
  } catch (error) {
    refused.textContent = `This table can't be used: ${error.message}`;
  }
}

document.getElementById("table").addEventListener("change", (event) => { if (event.target.files.length) give(event.target.files[0]); });
addEventListener("dragover", (event) => { event.preventDefault(); place.classList.add("over"); });
addEventListener("dragleave", () => place.classList.remove("over"));
addEventListener("drop", (event) => {
  event.preventDefault();
  place.classList.remove("over");
  if (event.dataTransfer.files.length) give(event.dataTransfer.files[0]);
});
