// What can stand at the end of a text: names of the contract and of the file, with how they are called and what they mean.
const LEAST = 2, SHOWN = 8;

const all = (text, pattern) => [...text.matchAll(pattern)].map((match) => match[1]);
const bodyOf = (name, text) => (text.match(new RegExp(`^class ${name}\\b.*:\\n((?:[ \\t].*\\n|\\n)*)`, "m")) || ["", ""])[1];
const own = (text) => all(text, /^ {4}(?:def )?([A-Za-z_]\w*)(?: *[:=(])/gm).map((name) => [name, "", "of this file"]);

// The name in front of the parenthesis that is still open.
const called = (text) => {
  let open = 0;
  for (let i = text.length - 1; i >= 0; i--) {
    if (text[i] === ")") open++;
    else if (text[i] === "(" && open-- === 0) return (text.slice(0, i).match(/([A-Za-z_]\w*)$/) || [""])[0];
  }
  return "";
};

// Returns what has been typed of a name, and the names that begin with it: lists of name, arguments, meaning.
export function completed(before, text, contract, asked) {
  const [, object, typed] = before.match(/(?:\b([A-Za-z_]\w*)\.)?([A-Za-z_]\w*)?$/).map((part) => part || "");
  if (!asked && !object && typed.length < LEAST) return { typed, found: [] };
  let names;
  if (object === "self" || object === "game") names = [...own(text), ...contract.members];
  else if (object) names = all(bodyOf(object, text), /^ {4}([A-Za-z_]\w*) *=/gm).map((name) => [name, "", `of ${object}`]);
  else if (/\S/.test(before.match(/[.)\]\d]?\s*$/)[0]) && !typed) names = [];
  else {
    const arguments_ = (contract.names.find(([name]) => name === called(before)) || ["", "()"])[1].slice(1, -1).split(", ");
    names = [
      ...arguments_.filter(Boolean).map((name) => [`${name.replace(/^\*+/, "")}=`, "", "an argument"]),
      ...contract.names,
      ...(/^ {4}\w*$/m.test(before.slice(before.lastIndexOf("\n") + 1)) ? contract.members : []),
      ...own(text),
      ...contract.words.map((name) => [name, "", "Python"]),
      ...all(text.slice(0, before.length - typed.length), /\b([A-Za-z_]\w{2,})/g).map((name) => [name, "", "of this file"]),
    ];
  }
  const seen = new Set([typed]);
  const found = names.filter(([name]) => name.toLowerCase().startsWith(typed.toLowerCase()) && !seen.has(name) && seen.add(name));
  return { typed, found: found.slice(0, SHOWN) };
}

// Where a name of the contract must be added to the imports, and what; nothing if the file has it.
export function missing(text, names) {
  const found = text.match(/^from dicelab\.rules import *(\([^)]*\)|[^\n]*)/m);
  if (!found) return names.length ? { at: 0, put: `from dicelab.rules import ${names.join(", ")}\n` } : null;
  const there = new Set(found[1].match(/\w+/g) || []), wanted = names.filter((name) => !there.has(name));
  if (!wanted.length) return null;
  const end = found.index + found[0].length;
  if (found[1][0] !== "(") return { at: end, put: (there.size ? ", " : "") + wanted.join(", ") };
  const inside = found[0].slice(0, -1).trimEnd(), comma = inside.endsWith(",") ? "" : ",";
  const lines = found[1].includes("\n");
  return { at: found.index + inside.length, put: comma + wanted.map((name) => (lines ? `\n    ${name},` : ` ${name}`)).join(lines ? "" : ",") };
}
