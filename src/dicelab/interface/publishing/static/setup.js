// What a visitor may choose: parameters, and who plays in each seat.
import { el, replace } from "./dom.js";

let fields = 0;

// A label with its field; `help` is shown below.
export function field(label, input, help = "") {
  const id = `field${fields++}`;
  input.id = id;
  if (help) input.setAttribute("aria-describedby", `${id}help`);
  return el("p", { class: "field" }, el("label", { for: id }, label), input,
    help ? el("span", { class: "help", id: `${id}help` }, help) : null);
}

export function playerName(point, seat) {
  return point.players[seat] ?? `player ${seat + 1}`;
}

export function outcomeName(game, point, k) {
  return game.own_outcomes ? point.outcomes[k] : `${playerName(point, k)} wins`;
}

const word = (param, value) => param.names ? param.names[value - param.low].replace(/_/g, " ") : String(value);

export class Setup {
  // `more` are further players, such as a person: [{value, label}]; `first` says who sits in a seat at the beginning.
  constructor(game, onchange, more = [], first = null) {
    this.game = game;
    this.more = more;
    this.first = first;
    this.onchange = onchange;
    this.selects = Object.entries(game.varied).map(([name, values]) => {
      const param = game.params.find((one) => one.name === name);
      const select = el("select", { onchange: () => this.changed() },
        values.map((value) => el("option", { value, selected: value === game.values[name] }, word(param, value))));
      return { name, select, element: field(game.names[name], select, param.help) };
    });
    this.refused = el("p", { class: "notice bad", role: "alert", hidden: true });
    this.players = el("div", { class: "fields" });
    this.element = el("div", {}, el("div", { class: "fields" }, this.selects.map((one) => one.element)), this.refused, this.players);
    this.seatChoices = [];
    this.drawPlayers();
  }

  // The settings for the chosen parameters; null where the rules refuse them.
  get point() {
    const at = this.selects.map(({ select }) => Number(select.value)).join();
    return this.game.settings.find((one) => one.at.join() === at) ?? null;
  }

  changed() {
    this.refused.hidden = this.point !== null;
    this.refused.textContent = "The rules don't allow these values together; choose others.";
    this.drawPlayers();
    this.onchange();
  }

  drawPlayers() {
    const { game, point } = this;
    if (!point || !game.decisions.length) return;
    const kept = this.seatChoices.map(({ select, numbers }) => ({ value: select.value, numbers: numbers.map((n) => n.value) }));
    this.seatChoices = Array.from({ length: Math.max(1, point.seats) }, (_, seat) => this.seatChoice(seat, kept[seat]));
    replace(this.players, this.seatChoices.map((one) => one.element));
  }

  seatChoice(seat, kept) {
    const { game } = this, call = game.calls[seat % Math.max(1, game.calls.length)] ?? { strategy: 0, args: [] };
    const first = kept?.value ?? this.first?.(seat) ?? String(call.strategy);
    const options = [...this.more, ...game.strategies.map((s, i) => ({ value: String(i), label: s.name.replace(/_/g, " ") }))];
    const select = el("select", {}, options.map((o) => el("option", { value: o.value, selected: o.value === first }, o.label)));
    const box = el("div", { class: "arguments" }), choice = { select, numbers: [] };
    const draw = (values) => {
      const strategy = game.strategies[Number(select.value)];
      choice.numbers = (strategy?.params ?? []).map((param, j) => {
        const value = values?.[j] ?? (Number(select.value) === call.strategy ? call.args[j] : param.default);
        return param.names
          ? el("select", { onchange: () => this.onchange() }, param.names.map((n, k) => el("option", { value: k + param.low, selected: k + param.low === Number(value) }, n.replace(/_/g, " "))))
          : el("input", { type: "number", min: param.low, max: param.high, value, required: true, onchange: () => this.onchange() });
      });
      replace(box, choice.numbers.map((input, j) => field(strategy.params[j].help, input)), strategy ? el("p", { class: "help" }, strategy.about) : null);
    };
    select.addEventListener("change", () => { draw(); this.onchange(); });
    draw(kept?.numbers);
    choice.element = el("div", { class: "player" }, field(playerName(this.point, seat), select), box);
    return choice;
  }

  // Who plays: for each seat the number of a strategy (or what `more` has) and its arguments; null where a number is wrong.
  get seats() {
    const found = this.seatChoices.map(({ select, numbers }) => ({ value: select.value, strategy: Number(select.value) || 0, args: numbers.map((n) => Number(n.value)) }));
    const wrong = this.seatChoices.flatMap((one) => one.numbers).find((n) => n.checkValidity && !n.checkValidity());
    wrong?.reportValidity();
    return wrong ? null : found;
  }
}

export function seedField(value) {
  return el("input", { type: "text", inputmode: "numeric", pattern: "[0-9]{1,19}", value, required: true, autocomplete: "off" });
}

// A strategy with its arguments as it is written on the command line.
export function written(game, { strategy, args }) {
  const one = game.strategies[strategy];
  const named = args.map((value, j) => [one.params[j], value]);
  const text = (p, v) => p.names ? p.names[v - p.low] : String(v);
  const parts = args.length === 1 ? named.map(([p, v]) => text(p, v))
    : named.filter(([p, v]) => v !== p.default).map(([p, v]) => `${p.name}=${text(p, v)}`);
  return [one.name, ...parts].join(":");
}

// The words of a command about the game with what was chosen.
export function command(game, verb, point, seats, more) {
  const given = Object.keys(game.varied).flatMap((name, i) => {
    const param = game.params.find((one) => one.name === name);
    return point.at[i] === param.default ? [] : [`--${name.replace(/_/g, "-")}`, param.names ? param.names[point.at[i] - param.low] : point.at[i]];
  });
  const fixed = game.params.filter((p) => !(p.name in game.varied) && game.values[p.name] !== p.default)
    .flatMap((p) => [`--${p.name.replace(/_/g, "-")}`, game.given[p.name]]);
  const who = game.decisions.length ? seats.map((seat) => written(game, seat)) : [];
  const every = new Set(who).size === 1 ? who.slice(0, 1) : who;
  return ["dicelab", verb, game.file, ...fixed, ...given, ...every.flatMap((text) => ["-s", text]), ...more].join(" ");
}
