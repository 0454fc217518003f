// Paints Python: an element for each word that has a colour, and text for the rest.
const PIECES = /("""|''')[\s\S]*?(?:\1|$)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?|#[^\n]*|@[\w.]+|\b[A-Za-z_]\w*/g;
const WORDS = new Set(("and as assert break class continue def del elif else except False finally for from global if import in is " +
  "lambda match None nonlocal not or pass raise return True try while with yield").split(" "));

const kind = (piece, known, before) => {
  if (piece[0] === "#") return "c1";
  if (piece[0] === '"' || piece[0] === "'") return "s2";
  if (piece[0] === "@" || before === "def" || before === "class") return "nd";
  return WORDS.has(piece) ? "k" : known.has(piece) ? "kt" : "";
};

export function painted(text, known) {
  const found = document.createDocumentFragment();
  let at = 0, before = "";
  for (const { 0: piece, index } of text.matchAll(PIECES)) {
    const colour = kind(piece, known, before);
    before = piece;
    if (!colour) continue;
    const word = document.createElement("span");
    word.className = colour;
    word.textContent = piece;
    found.append(text.slice(at, index), word);
    at = index + piece.length;
  }
  found.append(text.slice(at), "\n ");  // an empty last line has its height, too
  return found;
}

// Whether a place is inside a string or a comment.
export const quoted = (text, at) => [...text.matchAll(PIECES)].some(({ 0: piece, index }) =>
  index < at && at <= index + piece.length && "\"'#".includes(piece[0]) &&
  (at < index + piece.length || piece[0] === "#" || piece.length === 1 || piece.at(-1) !== piece[0]));
