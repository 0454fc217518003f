// Checks counts against exact probabilities, as `dicelab judge` does: binomial, multinomial or chi-square.
function logFactorials(n) {
  const found = [0];
  for (let i = 1; i <= n; i++) found.push(found[i - 1] + Math.log(i));
  return found;
}

// log(gamma(x)) for x = 1/2, 1, 3/2, 2, ...
function logGammaOfHalf(twice) {
  let found = twice % 2 ? Math.log(Math.PI) / 2 : 0;
  for (let k = twice % 2 ? 1 : 2; k < twice; k += 2) found += Math.log(k / 2);
  return found;
}

// Probability that chi-square with so many degrees of freedom is above x: the upper regularised gamma function.
function chiSquareAbove(x, degrees) {
  const a = degrees / 2, z = x / 2;
  if (z <= 0) return 1;
  const front = Math.exp(a * Math.log(z) - z - logGammaOfHalf(degrees));
  if (z < a + 1) {
    let term = 1 / a, sum = term;
    for (let k = 1; term > sum * 1e-17; k++) { term *= z / (a + k); sum += term; }
    return 1 - front * sum;
  }
  let b = z + 1 - a, c = 1e300, d = 1 / b, h = d;
  for (let k = 1; k < 10000; k++) {
    const step = -k * (k - a);
    b += 2;
    d = 1 / (step * d + b);
    c = b + step / c;
    h *= d * c;
    if (Math.abs(d * c - 1) < 1e-15) break;
  }
  return front * h;
}

// All tables of so many games in so many cells.
function* tables(games, cells) {
  if (cells === 1) { yield [games]; return; }
  for (let first = 0; first <= games; first++) for (const rest of tables(games - first, cells - 1)) yield [first, ...rest];
}

// The p-value of counts, in the order of the outcomes; `asked` has the games, the probabilities, and the groups of
// outcomes that are compared, by number.
function pValue(counts, asked) {
  const { games, chances, groups } = asked;
  if (counts.some((count, at) => count > 0 && chances[at] === 0)) return 0;
  if (groups.length === 1) return 1;
  const sums = groups.map((group) => group.reduce((sum, at) => sum + counts[at], 0));
  const shares = groups.map((group) => group.reduce((sum, at) => sum + chances[at], 0));
  const all = shares.reduce((sum, share) => sum + share, 0), weights = shares.map((share) => share / all);
  if (groups.length > 2 && !asked.exact) {
    const square = sums.reduce((sum, count, at) => sum + (count - games * weights[at]) ** 2 / (games * weights[at]), 0);
    return chiSquareAbove(square, groups.length - 1);
  }
  const logs = logFactorials(games);
  const chance = (table) => table.reduce((sum, count, at) => sum + (count ? count * Math.log(weights[at]) : 0) - logs[count], logs[games]);
  const mine = chance(sums) + 1e-7;
  let p = 0;
  for (const table of tables(games, groups.length)) {
    const log = chance(table);
    if (log <= mine) p += Math.exp(log);
  }
  return Math.min(1, p);
}

function verdict(p) {
  return p < 0.001 ? "inconsistent" : p < 0.05 ? "doubtful" : "consistent";
}
