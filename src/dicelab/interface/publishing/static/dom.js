// Elements of a page. Texts are always set as text, never as HTML.

const SVG = "http://www.w3.org/2000/svg";

function filled(element, properties, children) {
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.flat(9).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export const el = (tag, properties, ...children) => filled(document.createElement(tag), properties, children);
export const svg = (tag, properties, ...children) => filled(document.createElementNS(SVG, tag), properties, children);

export function replace(parent, ...children) {
  parent.replaceChildren(...children.flat(9).filter(Boolean));
}

// A table; `rows` are lists of cells, of which the first is the row's head and numbers stand to the right.
export function table(caption, head, rows) {
  const cell = (value, i) => i === 0
    ? el("th", { scope: "row" }, value)
    : el("td", typeof value === "string" ? { class: "n" } : {}, value);
  return el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": caption },
    el("table", {},
      el("caption", {}, caption),
      el("thead", {}, el("tr", {}, head.map((text, i) => el("th", { scope: "col", class: i ? "n" : null }, text)))),
      el("tbody", {}, rows.map((row) => el("tr", {}, row.map(cell))))));
}

export function save(name, type, content) {
  const link = el("a", { href: URL.createObjectURL(new Blob([content], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
