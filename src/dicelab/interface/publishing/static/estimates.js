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

  // The sensible moves of a saved state, the best one first: [{move, worth, error}], and the games after each.
  options(saved) {
    const { stepper, point: { played } } = this;
    stepper.restore(saved);
    const { seat } = stepper.step, all = stepper.moves(), sensible = all.filter((one) => one.sensible);
    const moves = (sensible.length ? sensible : all).map(({ move }) => move);
    if (moves.length > MOST_MOVES) throw new Error(`${whole(moves.length)} moves are too many to try out`);
    const tried = moves.map((move) => {
      stepper.restore(saved);
      stepper.make(move);
      return { move, saved: stepper.save(), sum: 0, squares: 0 };
    });
    const begun = performance.now();
    let games = 0;
    while (games < MOST_GAMES && (games < LEAST_GAMES || performance.now() < begun + MILLISECONDS)) {
      for (const one of tried) {
        this.playOn(one.saved, games, begun + 10 * MILLISECONDS);
        const value = this.worth(this.point.seats > 1 ? seat : 0);
        one.sum += value;
        one.squares += value * value;
      }
      games++;
    }
    const found = tried.map(({ move, sum, squares }) => ({ move, worth: sum / games, error: 1.96 * Math.sqrt(Math.max(0, squares / games - (sum / games) ** 2) / games) }));
    return { found: found.sort((a, b) => played.sign * (b.worth - a.worth)), games };
  }
}

export function coachedEstimates(game, point, { found, games }, named) {
  const { played } = point, chance = !played.tallies && played.chance, best = found[0].worth;
  const shown = (value) => chance ? percent(value) : value.toFixed(2);
  const rows = found.slice(0, 10).map(({ move, worth, error }) => [named(move), shown(worth), `± ${shown(error)}`, worth === best ? "best" : shown(Math.abs(best - worth))]);
  return el("div", {}, table("What moves are worth, estimated", ["move", played.what, "95 %", "loss"], rows),
    el("p", { class: "help" }, `Estimates by ${whole(games)} games after each move, in which all players follow ${game.estimates.called}; optimal play may be worth more.`));
}
