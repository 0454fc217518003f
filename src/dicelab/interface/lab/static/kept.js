// What this browser keeps of games that were reviewed: the latest first, each once.
const KEY = "dicelab-games", MOST = 300;

export const games = () => JSON.parse(localStorage.getItem(KEY) || "[]");
export const clear = () => localStorage.removeItem(KEY);
export const keep = (game) => {
  const all = games();
  if (!all.some((one) => one.key === game.key)) localStorage.setItem(KEY, JSON.stringify([game, ...all].slice(0, MOST)));
};
