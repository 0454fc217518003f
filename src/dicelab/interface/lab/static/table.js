// Sends a table of results, or saved games, to the lab, from files that are chosen or dropped, and asks for its answer.
const place = document.getElementById("drop"), refused = document.getElementById("refused");
const token = document.querySelector("meta[name=token]").content, input = document.getElementById("table");

// Saved games as one object, by the names of their files.
async function together(files) {
  const found = {};
  for (const file of files) {
    let name = file.name;
    for (let n = 2; name in found; n++) name = `${file.name} (${n})`;
    try {
      found[name] = JSON.parse(await file.text());
    } catch (error) { throw new Error(`${file.name} is not JSON: ${error.message}`); }
  }
  return JSON.stringify(found);
}

async function give(files) {
  refused.textContent = `reading ${files.length > 1 ? `${files.length} files` : files[0].name}`;
  try {
    const body = input.multiple ? await together(files) : files[0];
    const response = await fetch(place.dataset.table, { method: "POST", headers: { "X-Dicelab-Token": token }, body }).catch(() => null);
    if (!response) throw new Error("the lab does not answer; is it still running?");
    if (!response.ok) throw new Error(await response.text());
    location = place.dataset.then.replace("WORD", (await response.json()).table);
  } catch (error) {
    refused.textContent = `This can't be used: ${error.message}`;
  }
}

input.addEventListener("change", () => { if (input.files.length) give([...input.files]); });
addEventListener("dragover", (event) => { event.preventDefault(); place.classList.add("over"); });
addEventListener("dragleave", () => place.classList.remove("over"));
addEventListener("drop", (event) => {
  event.preventDefault();
  place.classList.remove("over");
  if (event.dataTransfer.files.length) give([...event.dataTransfer.files]);
});
