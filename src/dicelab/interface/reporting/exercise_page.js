// The page of an exercise: the seed of each pupil, the counts that are typed, the verdict.
const asked = JSON.parse(document.getElementById("asked").textContent);
const who = document.getElementById("who"), said = document.getElementById("said"), line = document.getElementById("line");
const fields = [...document.querySelectorAll("input.count")];

function chosen() {
  const [, seed] = asked.pupils[who.selectedIndex];
  for (const place of document.querySelectorAll(".seed")) place.textContent = seed;
  said.textContent = line.textContent = "";
}

document.getElementById("form").addEventListener("submit", (event) => {
  event.preventDefault();
  line.textContent = "";
  const wrong = fields.find((field) => !/^[0-9]+$/.test(field.value.trim()));
  if (wrong) { said.textContent = `How many games ended with ${wrong.dataset.name}? Type a whole number.`; wrong.focus(); return; }
  const counts = fields.map((field) => Number(field.value)), total = counts.reduce((sum, count) => sum + count, 0);
  if (total !== asked.games) { said.textContent = `Your counts add up to ${total}, but you were to play ${asked.games} games.`; return; }
  const p = pValue(counts, asked), found = verdict(p), [name, seed] = asked.pupils[who.selectedIndex];
  const words = {
    consistent: "Your counts are consistent with the rules. A small mistake may still be hidden.",
    doubtful: "Your counts are doubtful: a right program is this far off less than once in 20 times. Try another seed, and look for a mistake.",
    inconsistent: "Your counts don't fit the rules: a right program is this far off less than once in 1,000 times. Look for the mistake.",
  };
  said.textContent = `${words[found]} (p-value ${p < 1e-9 ? "below 1e-9" : p.toPrecision(2)})`;
  said.className = found;
  line.textContent = `For the table of the class: ${[name, seed, ...counts].join(",")}`;
});
who.addEventListener("change", chosen);
chosen();
