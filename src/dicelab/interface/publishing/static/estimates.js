// What moves are worth where optimal play isn't in the page: games that a strategy plays on after each move, within limits.
import { el, table } from "./dom.js";
import { Stepper } from "./engine.js";
import { percent, whole } from "./numbers.js";

const MILLISECONDS = 400, MOST_GAMES = 1000, LEAST_GAMES = 20, MOST_MOVES = 200;
const SEED = 0x657374696d617465n; // of these games: one that nobody gives a game by chance

export class Estimates {
  static async of(game, point) {
    const { strategy, args } = game.estimates, seats = Array.from({ length: point.args[0] }, () => ({ strategy, args }));
    const stepper = await Stepper.of(game.kernels.step, game, point, seats, SEED);
    return Object.assign(new Estimates(), { game, point, stepper });
  }

  // What a game that is over is worth to a seat.
  worth(seat) {
    const { stepper, point: { played } } = this;
    if (played.tallies) return Number(stepper.views.counted[played.tallies[seat]]);
    return played.prize ? played.prize[stepper.outcome][seat] : Number(stepper.outcome === seat);
  }

  // Play on from a saved state with the dice of a game of its own.
  playOn(saved, number, until) {
    const { stepper } = this;
    stepper.restore(saved);
    stepper.rolls = 0;
    stepper.views.call[4] = BigInt(number);
    for (let step, steps = 0; (step = stepper.step); steps++) {
      if (step.roll) stepper.roll(); else stepper.choose();
      if (steps % 1000 === 999 && performance.now() > until) throw new Error("games take too long here to try moves out");
    }
  }

  // A state that a seat may take for the real one, which doesn't see what the seats before it have just chosen: each of
  // them is taken to follow the strategy half of the time, else to make any move. `before` is the state in which the first
  // of them chose; the same `number` gives the same state.
  unseen(before, seat, number) {
    const { stepper } = this;
    let place = 0;
    const below = (most) => Math.floor(most * mixed(number, place++));
    stepper.restore(before);
    while (stepper.step.seat !== seat) {
      if (below(2)) stepper.choose();
      else {
        const moves = stepper.moves();
        stepper.make(moves[below(moves.length)].move);
      }
    }
    return stepper.save();
  }

  // The sensible moves of a saved state, the best one first: [{move, worth, error}], and the games after each. `before` is
  // the state in which the first of those chose whose choices the seat doesn't see; null if it sees everything.
  options(saved, before = null) {
    const { stepper, point: { played } } = this;
    stepper.restore(saved);
    const { seat } = stepper.step, all = stepper.moves(), sensible = all.filter((one) => one.sensible);
    const tried = (sensible.length ? sensible : all).map(({ move }) => ({ move, saved: null, sum: 0, squares: 0 }));
    if (tried.length > MOST_MOVES) throw new Error(`${whole(tried.length)} moves are too many to try out`);
    const begun = performance.now();
    let games = 0;
    while (games < MOST_GAMES && (games < LEAST_GAMES || performance.now() < begun + MILLISECONDS)) {
      const state = before ? this.unseen(before, seat, games) : saved;
      for (const one of tried) {
        if (before || !games) {
          stepper.restore(state);
          stepper.make(one.move);
          one.saved = stepper.save();
        }
        this.playOn(one.saved, games, begun + 10 * MILLISECONDS);
        const value = this.worth(this.point.seats > 1 ? seat : 0);
        one.sum += value;
        one.squares += value * value;
      }
      games++;
    }
    const found = tried.map(({ move, sum, squares }) => ({ move, worth: sum / games, error: 1.96 * Math.sqrt(Math.max(0, squares / games - (sum / games) ** 2) / games) }));
    return { found: found.sort((a, b) => played.sign * (b.worth - a.worth)), games, unseen: before !== null };
  }
}

// A number from 0 to 1, but not 1, of two whole numbers: always the same one.
function mixed(a, b) {
  let bits = Math.imul(a + 1, 0x9e3779b1) ^ Math.imul(b + 1, 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 16), 0x7feb352d);
  bits = Math.imul(bits ^ (bits >>> 15), 0x846ca68b);
  return ((bits ^ (bits >>> 16)) >>> 0) / 2 ** 32;
}

export function coachedEstimates(game, point, { found, games, unseen }, named) {
  const { played } = point, chance = !played.tallies && played.chance, best = found[0].worth;
  const shown = (value) => chance ? percent(value) : value.toFixed(2);
  const rows = found.slice(0, 10).map(({ move, worth, error }) => [named(move), shown(worth), `± ${shown(error)}`, worth === best ? "best" : shown(Math.abs(best - worth))]);
  return el("div", {}, table("What moves are worth, estimated", ["move", played.what, "95 %", "loss"], rows),
    el("p", { class: "help" }, `Estimates by ${whole(games)} games after each move, in which all players follow ${game.estimates.called}; optimal play may be worth more.${unseen ? " What others have chosen now is taken to be the same half of the time, else any move." : ""}`));
}
