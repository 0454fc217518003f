// Work that goes on in the background: remembered by the browser, and a notice on each page of the lab when it is done.
const KEY = "dicelab-behind", EVERY = 2000;
const all = () => JSON.parse(localStorage.getItem(KEY) || "[]");
const keep = (list) => localStorage.setItem(KEY, JSON.stringify(list));
const here = () => location.pathname + location.search;

export const remember = (number) => keep([...all().filter((one) => one.number !== number), { number, title: document.title, address: here() }]);
const forget = (number) => keep(all().filter((one) => one.number !== number));

const notices = new Map();

function notice({ number, title, address }, words, done) {
  if (!notices.has(number)) {
    const box = document.createElement("p");
    box.className = "notice behind";
    box.setAttribute("role", "status");
    document.querySelector("header").after(box);
    notices.set(number, box);
  }
  const box = notices.get(number), link = document.createElement("a"), close = document.createElement("button");
  if (box.dataset.done) return;
  link.href = address;
  link.textContent = title.replace(" – dicelab", "");
  Object.assign(close, { type: "button", className: "quiet", textContent: "close", onclick: () => { forget(number); box.remove(); } });
  box.replaceChildren(link, ` ${words} `, ...(done ? [close] : []));
  if (done) box.dataset.done = "yes";
}

async function look() {
  for (const one of all()) {
    if (one.address === here()) { if (!document.querySelector(".working")) forget(one.number); continue; }
    try {
      const response = await fetch(`/jobs/${one.number}`);
      if (response.status === 404) { forget(one.number); continue; }
      const now = await response.json();
      if (!now.ended) notice(one, `is worked on: ${Math.round(now.seconds)} s so far.`, false);
      else notice(one, now.error ? `could not be answered: ${now.error}.` : "is done.", true);
    } catch {
      return;  // the lab does not answer
    }
  }
  if (all().length) setTimeout(look, EVERY);
}

look();
addEventListener("storage", ({ key }) => { if (key === KEY) look(); });
