// Numbers for people, and confidence intervals as dicelab computes them.

export const whole = (n) => Math.round(n).toLocaleString("en-US");
export const percent = (p, digits = 2) => `${(100 * p).toFixed(digits)} %`;
const Z = 1.959963984540054;

// Digits after the point such that the half-width shows in two digits.
export function digitsFor(half) {
  return Number.isFinite(half) && half > 0 ? Math.min(6, Math.max(0, 1 - Math.floor(Math.log10(half)))) : 2;
}

function logGamma(x) {
  const c = [76.18009172947146, -86.50532032941677, 24.01409824083091, -1.231739572450155, 0.1208650973866179e-2,
             -0.5395239384953e-5];
  if (x > 1e5) return (x - 0.5) * Math.log(x) - x + 0.9189385332046727 + 1 / (12 * x);
  const t = x + 5.5 - (x + 0.5) * Math.log(x + 5.5);
  return Math.log(2.5066282746310005 * c.reduce((sum, v, i) => sum + v / (x + 1 + i), 1.000000000190015) / x) - t;
}

// Regularised incomplete beta function, by Lentz's continued fraction.
function beta(a, b, x) {
  if (x <= 0 || x >= 1) return x <= 0 ? 0 : 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - beta(b, a, 1 - x);
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x)) / a;
  let c = 1, d = 1 / Math.max(1e-300, 1 - (a + b) * x / (a + 1)), f = d;
  for (let m = 1; m < 20000; m++) {
    const even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / (1 + even * d); c = 1 + even / c; f *= c * d;
    const odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / (1 + odd * d); c = 1 + odd / c;
    f *= c * d;
    if (Math.abs(c * d - 1) < 1e-13) break;
  }
  return front * f;
}

function betaQuantile(a, b, p) {
  const mean = a / (a + b), sd = Math.sqrt(mean * (1 - mean) / (a + b + 1));
  let low = Math.max(0, mean - 12 * sd), high = Math.min(1, mean + 12 * sd);
  if (beta(a, b, low) > p) low = 0;
  if (beta(a, b, high) < p) high = 1;
  for (let i = 0; i < 60 && high - low > 1e-12 * high; i++) {
    const middle = (low + high) / 2;
    if (beta(a, b, middle) < p) low = middle; else high = middle;
  }
  return (low + high) / 2;
}

// Clopper and Pearson's 95 % interval for a proportion.
export function shareInterval(count, n) {
  if (n === 0) return [0, 1];
  const miss = 0.025, alone = -Math.expm1(Math.log(miss) / n);
  if (count === 0) return [0, alone];
  if (count === n) return [1 - alone, 1];
  return [betaQuantile(count, n - count + 1, miss), betaQuantile(count + 1, n - count, 1 - miss)];
}

const gcd = (a, b) => { while (b) [a, b] = [b, a % b]; return Math.abs(a); };

// Mean, its 95 % interval, standard deviation and percentiles of a Map from value to games.
export function summary(histogram) {
  const values = [...histogram.keys()].sort((a, b) => a - b);
  const n = values.reduce((sum, v) => sum + histogram.get(v), 0);
  if (!n) return { n, mean: 0, sd: 0, low: -Infinity, high: Infinity, values, p10: 0, p50: 0, p90: 0 };
  const mean = values.reduce((sum, v) => sum + v * histogram.get(v), 0) / n;
  const moment = (k) => values.reduce((sum, v) => sum + (v - mean) ** k * histogram.get(v), 0);
  const sd = n > 1 ? Math.sqrt(moment(2) / (n - 1)) : 0;
  const skew = sd > 0 ? moment(3) / n / (moment(2) / n) ** 1.5 : 0;
  const step = values.length > 1 ? values.reduce((g, v) => gcd(g, v - values[0]), 0) : 0;
  let low = -Infinity, high = Infinity;
  if (sd > 0) {
    const wider = 1 + ((Z * Z + 1) / 4 + skew * skew * (Z ** 4 + 2 * Z * Z - 3) / 18) / n;
    const half = Z * sd / Math.sqrt(n) * wider + step / 2 / n;
    const enough = (s) => n >= 15 * (Math.max(0, s) + 2 * Math.sqrt(6 / n)) ** 2;
    if (enough(-skew)) low = mean - half;
    if (enough(skew)) high = mean + half;
  }
  const rank = (p) => {
    let seen = 0;
    const wanted = Math.max(1, Math.ceil(p * n - 1e-9));
    return values.find((v) => (seen += histogram.get(v)) >= wanted);
  };
  return { n, mean, sd, low, high, values, p10: rank(0.1), p50: rank(0.5), p90: rank(0.9) };
}
