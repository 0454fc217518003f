// Buttons that delete a run.
const token = document.querySelector("meta[name=token]").content, refused = document.getElementById("refused");

for (const button of document.querySelectorAll("[data-delete]")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    if (button.textContent !== "really?") { button.textContent = "really?"; return; }
    const response = await fetch(`/runs/${button.dataset.delete}/delete`, { method: "POST", headers: { "X-Dicelab-Token": token } });
    if (response.ok) button.closest("tr").remove();
    else refused.textContent = new DOMParser().parseFromString(await response.text(), "text/html").querySelector(".notice")?.textContent ?? "This run could not be deleted.";
  });
}
