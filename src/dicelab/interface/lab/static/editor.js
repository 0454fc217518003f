// An editor for a file that was named when the lab was started. What is typed is judged by the lab as it is, and written
// only when it is saved; a file that another program has changed is not overwritten.
import { completed, missing } from "/static/complete.js";
import { fill } from "/static/follow.js";
import { painted, quoted } from "/static/paint.js";

const $ = (id) => document.getElementById(id);
const editor = $("editor"), text = $("text"), list = $("names"), main = $("content");
const token = document.querySelector("meta[name=token]").content;
const PAUSE = 400, CHECKED = 1200;
let contract = null, known = new Set(), saved = "", was = "", timer = 0, request = null, marks = [], offered = null, chosen = 0;

const at = (address) => `${editor.dataset.address}/${address}`;
const post = (address, body, signal) => fetch(at(address), { method: "POST", headers: { "X-Dicelab-Token": token }, body, signal });
const sleep = (time, signal) => new Promise((done, left) => {
  const waiting = setTimeout(done, time);
  signal.addEventListener("abort", () => { clearTimeout(waiting); left(new DOMException("", "AbortError")); });
});

// The text changes as if it was typed, so that it can be undone.
function put(from, to, words) {
  text.focus();
  text.setSelectionRange(from, to);
  if (!document.execCommand(words ? "insertText" : "delete", false, words)) text.setRangeText(words, from, to, "end");
}

// A finding without its place, beside which it stands.
const short = (say) => say.replace(/^.*?\.py, line \d+(, in \w+)?: /, "");

function show() {
  const lines = text.value.split("\n");
  $("painted").replaceChildren(painted(text.value, known));
  const wrong = new Map(marks.map(([line, verdict]) => [line, verdict]));
  $("margin").replaceChildren(...lines.map((_, i) => {
    const number = document.createElement("span");
    number.className = `number ${wrong.get(i + 1) || ""}`;
    number.textContent = `${i + 1}\n`;
    return number;
  }));
  for (const old of $("painted").parentNode.querySelectorAll(".mark")) old.remove();
  for (const [line, verdict, say] of marks) {
    if (!line || line > lines.length) continue;
    const mark = document.createElement("span");
    mark.className = `mark ${verdict}`;
    mark.setAttribute("aria-hidden", "true");
    mark.textContent = short(say);
    mark.style.top = `${(line - 1) * 1.5}em`;
    mark.style.setProperty("--end", `${lines[line - 1].length + 2}ch`);
    $("painted").before(mark);
  }
  const same = text.value === saved;
  $("save").disabled = same;
  if (!same) $("saved").textContent = "not saved";
  else if ($("saved").textContent === "not saved") $("saved").textContent = "";
}

function go(line) {
  const from = text.value.split("\n").slice(0, line - 1).join("\n").length + (line > 1);
  text.focus({ preventScroll: true });
  text.setSelectionRange(from, from);
  reveal(line);
}

function reveal(line) {
  const box = editor.querySelector(".typing"), top = (line - 1) * 21;
  box.scrollLeft = 0;
  if (top < box.scrollTop || top > box.scrollTop + box.clientHeight - 63) box.scrollTop = top - box.clientHeight / 3;
}

// The findings at their lines, the first one above the text; a text that is not the judged one any more has none.
function tell(found) {
  marks = found;
  const first = found.find(([, verdict]) => verdict !== "note") || found[0], said = $("first"), link = document.createElement("button");
  said.className = `notice${first && first[1] !== "note" ? " bad" : ""}`;
  said.textContent = first ? "" : "No finding is about a line so far.";
  if (first && first[0]) {
    link.className = "quiet";
    link.type = "button";
    link.textContent = `line ${first[0]}`;
    link.addEventListener("click", () => go(first[0]));
    said.append(link);
  }
  if (first) said.append(first[0] ? short(first[2]) : first[2]);
  show();
}

async function judge(begins) {
  request = new AbortController();
  const { signal } = request, sent = text.value;
  try {
    let found = await (await post("draft/quick", sent, signal)).json();
    if (found.broken) {
      tell([[found.line, "broken", found.broken]]);
      if (begins) reveal(found.line);
      $("checked").textContent = "";
      $("now").querySelector("p.muted:only-child")?.replaceChildren("Figures follow when the file can be read.");
      $("now").classList.add("old");
      return;
    }
    tell([]);
    $("now").innerHTML = found.html;
    $("now").classList.remove("old");
    found = await (await post("draft/figures", sent, signal)).json();
    $("now").innerHTML = found.html;
    $("checked").innerHTML = '<p class="notice working">Checking the rules: declarations, states, seats, strategies, engines.</p>';
    await sleep(begins ? 0 : CHECKED, signal);
    const checked = await (await post("draft/check", sent, signal)).json();
    tell(checked.lines);
    if (begins && marks.length) reveal(marks[0][0]);
    $("checked").innerHTML = checked.html;
  } catch (error) {
    if (error.name !== "AbortError") $("checked").textContent = "The lab does not answer; is it still running?";
  }
}

function changed() {
  clearTimeout(timer);
  if (request) request.abort();
  timer = setTimeout(judge, PAUSE);
  show();
}

async function load(begins) {
  const found = await (await fetch(at("source.json"))).json();
  if (found.refused || found.was === was) return found;
  contract = found;
  known = new Set(found.names.map(([name]) => name));
  if (begins) text.value = found.text;
  saved = found.text;
  was = found.was;
  if (!begins) put(0, text.value.length, found.text);  // which can be undone
  $("elsewhere").hidden = true;
  show();
  return found;
}

async function save() {
  const sent = text.value;
  if (sent === saved) return;
  $("saved").textContent = "saving";
  try {
    const response = await post("save", JSON.stringify({ text: sent, was }));
    const found = response.headers.get("content-type").startsWith("application/json") ? await response.json() : { error: await response.text() };
    if (found.error) {
      $("saved").textContent = "not saved";
      $("elsewhere").querySelector("span").textContent = `Not saved: ${found.error}.`;
      $("elsewhere").hidden = false;
      $("load").hidden = response.status !== 409;
    } else {
      saved = sent;
      was = found.was;
      $("elsewhere").hidden = true;
      $("saved").textContent = "saved";
      show();
    }
  } catch {
    $("saved").textContent = "not saved: the lab does not answer";
  }
}

function close() {
  offered = null;
  list.hidden = true;
  text.removeAttribute("aria-activedescendant");
}

function offer(asked) {
  const end = text.selectionStart, before = text.value.slice(0, end);
  if (text.selectionEnd !== end || quoted(text.value, end)) return close();
  const { typed, found } = completed(before, text.value, contract, asked);
  if (!found.length) return close();
  offered = { typed, found, end };
  chosen = 0;
  const line = before.split("\n");
  list.style.top = `calc(${line.length * 1.5}em + 8px)`;
  list.style.left = `calc(${line.at(-1).length - typed.length}ch + 12px)`;
  list.hidden = false;
  list.replaceChildren(...found.map(([name, call, about], i) => {
    const row = document.createElement("li"), words = document.createElement("small");
    row.id = `name-${i}`;
    row.setAttribute("role", "option");
    words.textContent = about;
    row.append(name, call, words);
    row.addEventListener("mousedown", (event) => { event.preventDefault(); chosen = i; accept(); });
    return row;
  }));
  const over = list.offsetLeft + list.offsetWidth + $("margin").offsetWidth + 8 - text.closest(".typing").clientWidth - text.closest(".typing").scrollLeft;
  if (over > 0) list.style.left = `${Math.max(12, list.offsetLeft - over)}px`;
  choose(0);
}

function choose(i) {
  chosen = (i + offered.found.length) % offered.found.length;
  [...list.children].forEach((row, k) => row.setAttribute("aria-selected", k === chosen));
  text.setAttribute("aria-activedescendant", `name-${chosen}`);
  const box = editor.querySelector(".typing"), row = list.children[chosen];
  list.scrollTop = Math.max(row.offsetTop + row.offsetHeight - list.clientHeight, Math.min(list.scrollTop, row.offsetTop));
  box.scrollTop = Math.max(box.scrollTop, list.offsetTop + list.offsetHeight - box.clientHeight + 24);
}

// Names of the contract are imported when they are put in.
function importing(names) {
  const from = text.selectionStart, lacks = missing(text.value, names.filter((name) => known.has(name)));
  if (!lacks) return;
  put(lacks.at, lacks.at, lacks.put);
  text.setSelectionRange(from + lacks.put.length, from + lacks.put.length);
}

function accept() {
  const { typed, found, end } = offered, [name] = found[chosen];
  close();
  put(end - typed.length, end, name);
  importing([name]);
  close();
}

function insert(which) {
  const [, words, whole] = contract.templates[which];
  if (whole) return put(0, text.value.length, words);
  const game = (text.value.match(/^class (\w+)\((?:Game|Casino)\)/m) || ["", "Starter"])[1];
  const start = text.value.lastIndexOf("\n", text.selectionStart - 1) + 1;
  put(start, start, words.replaceAll("Starter", game) + (words.indexOf("\n") < words.length - 1 ? "\n" : ""));
  importing(words.match(/\w+/g));
}

let leaving = false;

text.addEventListener("keydown", (event) => {
  const { key } = event, plain = !event.ctrlKey && !event.metaKey && !event.altKey;
  if ((event.ctrlKey || event.metaKey) && key === "s") { event.preventDefault(); save(); return; }
  if (event.ctrlKey && key === " ") { event.preventDefault(); offer(true); return; }
  if (offered && plain) {
    if (key === "ArrowDown" || key === "ArrowUp") { event.preventDefault(); choose(chosen + (key === "ArrowDown" ? 1 : -1)); return; }
    if ((key === "Enter" || key === "Tab") && !event.shiftKey) { event.preventDefault(); accept(); return; }
    if (key === "Escape") { event.preventDefault(); close(); return; }
  }
  const from = text.selectionStart, to = text.selectionEnd, line = text.value.slice(text.value.lastIndexOf("\n", from - 1) + 1, from);
  if (key === "Tab" && plain && !leaving && !event.shiftKey && from === to) { event.preventDefault(); put(from, to, " ".repeat(4 - (line.length % 4))); }
  if (key === "Enter" && plain && !event.isComposing) {
    event.preventDefault();
    put(from, to, `\n${line.match(/^ */)[0]}${/:\s*$/.test(line) ? "    " : ""}`);
    close();
  }
  if (key === "Backspace" && plain && from === to && line.length && !line.trim()) { event.preventDefault(); put(from - ((line.length - 1) % 4) - 1, from, ""); }
  leaving = key === "Escape";
});
text.addEventListener("input", (event) => { changed(); if (event.inputType === "insertText" || event.inputType === "deleteContentBackward") offer(false); });
text.addEventListener("blur", close);
text.addEventListener("click", close);
text.addEventListener("keyup", ({ key }) => { if (/^(ArrowLeft|ArrowRight|Home|End|Page)/.test(key)) close(); });
$("save").addEventListener("click", save);
$("load").addEventListener("click", () => load(false));
$("template").addEventListener("change", ({ target }) => { if (target.value) insert(target.value); target.value = ""; close(); });
window.addEventListener("beforeunload", (event) => { if (text.value !== saved) event.preventDefault(); });
document.addEventListener("changed", async () => {
  if (text.value === saved) return load(false);
  const found = await (await fetch(at("source.json"))).json();
  if (found.was !== was) {
    $("elsewhere").querySelector("span").textContent = "Another program has changed this file, and what you see is not saved.";
    $("load").hidden = false;
    $("elsewhere").hidden = false;
  }
});

load(true).then((found) => {
  if (found.refused) throw new Error(found.refused);
  main.dataset.edits = "yes";
  editor.hidden = false;
  document.getElementById("listed").parentNode.hidden = true;
  found.templates.forEach(([label], i) => $("template").add(new Option(label, i)));
  judge(true);
}).catch((error) => {
  const said = document.createElement("p");
  said.className = "notice";
  said.textContent = error.message;
  editor.before(said);
  fill();
});
