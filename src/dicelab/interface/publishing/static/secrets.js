// What the people at a table don't see of a game, as `dicelab play` has it: hidden rolls, choices and numbers, until they
// are laid open. A viewer is a seat; -1 stands for somebody who sees what everybody sees.

const MOST_TRIED = 2000; // other rolls or moves that are tried, evenly spread, to find out whether one is hidden

const some = (list) => list.filter((_, i) => i % (1 + Math.floor(list.length / MOST_TRIED)) === 0);

export class Secrets {
  constructor(game, stepper, people) {
    this.fields = people.length ? Object.entries(game.state).filter(([, field]) => field.hidden) : [];
    Object.assign(this, { game, stepper, seats: Math.max(1, stepper.point.seats) });
  }

  get any() { return this.fields.length > 0; }

  // The part of a hidden field that a seat sees: its own numbers of a row that has some for each seat.
  own(name, value, viewer) {
    if (viewer < 0 || !this.game.state[name].by_seat) return null;
    const each = value.length / this.seats;
    return value.slice(viewer * each, (viewer + 1) * each);
  }

  // A state without what nobody but its owner sees.
  open(state) {
    const found = { ...state };
    for (const [name] of this.fields) delete found[name];
    return found;
  }

  seen(state, viewer) {
    const found = this.open(state);
    for (const [name] of this.fields) found[name] = this.own(name, state[name], viewer);
    return found;
  }

  // The fields that a step lays open, as they are, or were if it has cleared them: [[name, value]]. For a choice that all
  // make at once, what all have chosen comes first, under the names of its rows.
  opened(step, values, before, after) {
    const found = [], together = step.roll ? null : this.game.decisions[step.kind].together;
    if (together && before[together.by] === this.seats - 1) {
      together.rows.forEach((row, i) => found.push([row, [...before[row].slice(0, -1), values[i]]]));
    }
    for (const [name, field] of this.fields) {
      const { until, start } = field.hidden;
      if (!until || !before[until] || after[until]) continue;
      const cleared = [after[name]].flat().every((n) => n === start);
      found.push([name, cleared ? before[name] : after[name]]);
    }
    return found;
  }

  looks(step, values, before, after, viewer) {
    return JSON.stringify([this.seen(after, viewer), this.opened(step, values, before, after)]);
  }

  // Whether a step is hidden from a viewer: another roll or move would look the same, and lead elsewhere.
  hides(saved, step, values, viewer) {
    if (!this.any) return false;
    const { stepper } = this, now = stepper.save(), after = stepper.read();
    stepper.restore(saved);
    const before = stepper.read(), looks = this.looks(step, values, before, after, viewer), real = JSON.stringify(after);
    const rolls = step.roll ? stepper.outcomes() : null, every = step.roll ? rolls?.map(([n]) => n) : stepper.moves().map(({ move }) => move);
    const differs = (one) => {
      stepper.restore(saved);
      if (step.roll) stepper.apply(one); else stepper.make(one);
      const other = stepper.read(), received = step.roll ? stepper.received(step) : one;
      return JSON.stringify(other) !== real && this.looks(step, received, before, other, viewer) === looks;
    };
    // dice that are drawn one at a time can't be listed: they are hidden if they change what the viewer doesn't see
    const unlisted = () => this.fields.some(([name]) => JSON.stringify(before[name]) !== JSON.stringify(after[name])) &&
      this.fields.every(([name]) => JSON.stringify(this.own(name, before[name], viewer)) === JSON.stringify(this.own(name, after[name], viewer)));
    const found = every ? some(every).some(differs) : unlisted();
    stepper.restore(now);
    return found;
  }
}
