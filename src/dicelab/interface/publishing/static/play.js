// Plays the game in the page: people and strategies, step by step, with the dice of a seed.
import { board, die, Words } from "./board.js";
import { el, replace, save } from "./dom.js";
import { Stepper } from "./engine.js";
import { Estimates, coachedEstimates } from "./estimates.js";
import { LearnedValuer, coachedLearned } from "./learned.js";
import { whole } from "./numbers.js";
import { coachedMixed } from "./mixed.js";
import { Valuer } from "./optimal.js";
import { coached, reviewElement, reviewed } from "./review.js";
import { Secrets } from "./secrets.js";
import { Setup, field, playerName, seedField } from "./setup.js";

const PERSON = "me", BEST = "best";
const MOST_BUTTONS = 60, LISTED = 4096; // moves that are buttons; moves that can be listed: more are a name and a number

export function playPanel(game, optimal) {
  const chooses = game.decisions.length > 0, seed = seedField(String(1 + Math.floor(Math.random() * 999999)));
  const setup = new Setup(game, () => {}, [{ value: PERSON, label: "a person" }, ...(optimal ? [{ value: BEST, label: optimal.mixed ? "the equilibrium" : optimal.learned ? "the learned player" : "optimal play" }] : [])], (seat) => seat === 0 || !game.strategies.length ? PERSON : String(game.calls[seat % Math.max(1, game.calls.length)]?.strategy ?? 0));
  const table = el("div", { class: "table" }), problem = el("p", { class: "notice bad", role: "alert", hidden: true });
  const coach = (optimal || game.estimates) && el("input", { type: "checkbox", onchange: () => now && draw() }), judged = el("div", { "aria-live": "polite" });
  const form = el("form", { onsubmit: (event) => { event.preventDefault(); begin().catch(fail); } },
    setup.element, el("div", { class: "fields" }, field("seed of the dice", seed, "the same seed rolls the same dice")),
    coach && field("coach", coach, optimal?.mixed ? "shows what each move is worth, and how often an equilibrium makes it" : `shows what each move is worth, ${optimal?.learned ? "as the learned player estimates it" : optimal ? "by optimal play" : `estimated by games that ${game.estimates.called} plays on`}`), el("p", { class: "controls" }, el("button", { type: "submit" }, "New game")));
  let now = null;

  function fail(error) {
    problem.hidden = false;
    problem.textContent = `The game can't go on: ${error.message}.`;
  }

  async function begin() {
    const { point, seats } = setup;
    if (!point || !seats) return;
    problem.hidden = true;
    replace(judged);
    const known = optimal?.fits(game, point);
    if (!known && seats.some((one) => one.value === BEST)) {
      problem.hidden = false;
      problem.textContent = "This player is known here only for the parameters that the page begins with.";
      return;
    }
    const values = { ...game.values };
    Object.keys(game.varied).forEach((name, i) => { values[name] = point.at[i]; });
    const stepper = await Stepper.of(game.kernels.step, game, point, seats, seed.value.trim());
    const people = chooses ? seats.flatMap((one, seat) => one.value === PERSON ? [seat] : []) : [];
    const many = Math.max(1, point.seats);
    const estimates = !known && game.estimates && point.played ? await Estimates.of(game, point) : null;
    const names = Array.from({ length: many }, (_, seat) => people.length === 1 && people[0] === seat ? "you" : playerName(point, seat));
    now = { stepper, point, seats, people, values, seed: seed.value.trim(), words: new Words(game, point, values, names),
      log: [], track: [], events: [], filled: {}, undo: [], since: 0, estimates, valuer: known && !optimal.mixed ? new (optimal.learned ? LearnedValuer : Valuer)(optimal, stepper) : null, mixed: known && optimal.mixed ? optimal : null,
      secrets: new Secrets(game, stepper, people), viewer: people.length === 1 ? people[0] : -1, amount: null };
    stepper.begin();
    proceed();
    table.querySelector("button")?.focus({ preventScroll: true });
  }

  // Play on to the next question; without people, or on request, one step at a time.
  function proceed(one = false, since = now.events.length) {
    const { stepper, people } = now;
    now.since = since;
    try {
      for (let step; (step = stepper.step); ) {
        if (!step.roll && people.includes(step.seat)) break;
        if (!people.length && !one) break;
        one = false;
        const saved = stepper.save();
        if (step.roll) note(step, saved, stepper.roll(), game.throws[step.kind]);
        else note(step, saved, now.seats[step.seat].value === BEST ? bestMove(step, saved) : stepper.choose(), game.decisions[step.kind]);
      }
    } catch (error) { fail(error); }
    draw();
  }

  function bestMove(step, saved) {
    const { mixed, track, seed, stepper } = now, wide = game.decisions[step.kind].kinds.length;
    const move = mixed ? mixed.drawn(track, step.seat, saved.cells, seed).slice(0, wide) : now.valuer.best(stepper.save()).move;
    stepper.make(move);
    return move;
  }

  function make(move) {
    const { stepper } = now, step = stepper.step, saved = stepper.save(), since = now.events.length;
    now.undo.push(snapshot());
    if (!stepper.make(move)) { now.undo.pop(); return; }
    note(step, saved, move, game.decisions[step.kind]);
    proceed(false, now.people.length > 1 ? since : now.events.length); // people see what the person before has done
  }

  const snapshot = () => ({ saved: now.stepper.save(), log: now.log.length, events: now.events.length, filled: { ...now.filled } });

  function back() {
    const last = now.undo.pop();
    now.stepper.restore(last.saved);
    now.log.length = now.track.length = last.log;
    now.events.length = last.events;
    now.filled = last.filled;
    now.since = now.events.length;
    draw();
  }

  function step() {
    now.undo.push(snapshot());
    proceed(true);
  }

  // Record a step: in the log that dicelab reads, and as what people see.
  function note(step, saved, values, declared) {
    const { words, stepper, secrets, people } = now, state = stepper.read(saved), result = stepper.read();
    const before = secrets.open(state), after = secrets.open(result);
    now.track.push({ saved, step, move: values });
    const from = secrets.any ? [-1, ...people].filter((viewer) => secrets.hides(saved, step, values, viewer)) : [];
    const told = { from, open: secrets.opened(step, values, state, result).map(([name, value]) => openedText(step, name, value)) };
    if (step.roll) {
      const dice = rolled(step, values, declared);
      now.log.push({ roll: dice.saved, ...(game.throws.length > 1 ? { name: declared.name } : {}) });
      now.events.push({ ...told, dice: dice.labels, total: dice.total, title: declared.called, news: game.news.length ? words.news(before, after, declared, values) : words.changes(before, after) });
      return;
    }
    const moved = words.moveName(step.kind, values, before);
    now.log.push({ seat: step.seat + 1, choice: words.described(declared, values), ...(game.decisions.length > 1 ? { name: declared.name } : {}) });
    if (game.board.some((part) => part.part === "sheet" && part.choice === declared.name)) {
      now.filled[`${declared.name} ${values[0]} ${words.mover(before)}`] = words.gain(before, after, words.mover(before)) ?? 0;
    }
    now.events.push({ ...told, who: words.names[step.seat], action: declared.called, title: `${declared.called}: ${moved}`, news: game.news.length ? words.news(before, after, declared, values, moved) : words.changes(before, after) });
  }

  // What a step lays open, in words: the dice in cups, what all have chosen, or the numbers of a row.
  function openedText(step, name, value) {
    const { words } = now, cups = game.board.some((part) => part.part === "cups" && part.row === name);
    const choice = game.decisions[step.kind], place = step.roll ? -1 : choice.together?.rows.indexOf(name) ?? -1;
    if (!game.state[name].by_seat) return `${game.names[name]}: ${[value].flat().join(" ")}`;
    const each = value.length / words.names.length;
    const shown = (seat) => {
      const own = value.slice(seat * each, (seat + 1) * each);
      if (place >= 0 && choice.received.length === 1) return words.moveName(step.kind, own, words.values);
      return cups ? own.flatMap((n, face) => Array(n).fill(face + 1)).join(" ") : own.map((n) => words.valueName(name, n) ?? n).join(" ");
    };
    return `${place >= 0 ? choice.called : game.names[name]}: ${words.names.map((who, seat) => `${who} ${shown(seat) || "nothing"}`).join(", ")}`;
  }

  // The dice of a roll: as people see them, and as a saved game has them.
  function rolled(step, values, declared) {
    const most = game.tables[now.point.dice].kinds.data[3 * step.kind + 1], count = step.dice || most, { faces, view } = declared;
    const label = (value) => faces.find((face) => face.value === value)?.label ?? String(value);
    const word = (value) => label(value) === String(value) ? value : label(value);
    if (view === "counts") {
      return { labels: faces.flatMap((face, i) => Array(values[i]).fill(face.label)), saved: Object.fromEntries(faces.flatMap((face, i) => values[i] ? [[face.label, values[i]]] : [])) };
    }
    if (view === "faces") return { labels: values.slice(0, count).map(label), saved: values.slice(0, count).map(word) };
    if (count === 1) return { labels: [label(values[0])], saved: [word(values[0])] };
    const picked = declared.fair ? pickFaces(faces.map((face) => face.value), count, values[0], `${now.seed} ${now.stepper.rolls}`) : null;
    return picked ? { labels: picked.map(label), saved: picked.map(word), total: values[0] } : { labels: [], saved: values[0], total: values[0] };
  }

  function draw() {
    const { stepper, words, people, secrets } = now, step = stepper.step, state = stepper.read();
    const parts = [], tells = secrets.any && Boolean(step), asks = step && !step.roll && people.includes(step.seat);
    if (!step || (asks && secrets.any && people.length > 1 && now.viewer !== step.seat)) now.viewer = people.length === 1 ? people[0] : -1;
    const covered = asks && secrets.any && now.viewer !== step.seat, { viewer } = now, typed = asks && isTyped(step);
    const sheets = game.board.filter((part) => part.part === "sheet");
    const moves = asks && !covered && !typed ? described(step, state) : [];
    const open = sheets.length ? stepper.openRows(sheets.reduce((n, part) => n + rowsOf(part), 0)) : [];
    parts.push(el("div", { class: "events", role: "log", tabindex: 0, "aria-label": "What has happened" }, now.events.slice(now.since).map(eventElement)));
    parts.push(el("div", { class: "board" }, board(words, state, { filled: now.filled, open, now: sheets.length ? scoring(step, moves, sheets[0]) : {}, picked: moves.length ? game.decisions[step.kind].keep?.dice : "", secrets, viewer, asked: asks ? step.seat : -1 })));
    if (!step) parts.push(ending(secrets.open(state)));
    else if (covered) parts.push(cover(step.seat));
    else if (typed) parts.push(typing(step));
    else if (moves.length) parts.push(question(step, moves, sheets));
    else if (!people.length) parts.push(el("p", { class: "controls" }, el("button", { type: "button", onclick: () => step && step_() }, step.roll ? `Roll: ${game.throws[step.kind].called}` : "Next step")));
    if (moves.length && coach?.checked) parts.push(advice(step, state));
    parts.push(el("p", { class: "controls" },
      chooses && optimal && !optimal.mixed && !optimal.learned && el("button", { type: "button", class: "quiet", onclick: () => showReview() }, "Review"),
      el("button", { type: "button", class: "quiet", disabled: !now.undo.length, onclick: back }, "Take back"),
      el("button", { type: "button", class: "quiet", disabled: tells, onclick: saveLog }, "Save the game"),
      el("button", { type: "button", class: "quiet", disabled: tells, onclick: (event) => copyLog(event.target) }, "Copy the game"),
      el("span", { class: "help" }, `seed ${now.seed}${tells ? "; a saved game would show what is hidden, so save it at its end" : ""}`)));
    parts.push(el("details", {}, el("summary", {}, `All steps so far (${whole(now.events.length)})`), el("div", { class: "events", tabindex: 0, role: "region", "aria-label": "All steps" }, now.events.map(eventElement))));
    replace(table, parts);
  }

  const step_ = () => step();

  // Between two people at one screen.
  function cover(seat) {
    const who = now.words.names[seat], show = () => { now.viewer = seat; draw(); table.querySelector(".moves button, .controls button")?.focus({ preventScroll: true }); };
    return el("div", { class: "notice" }, el("p", { class: "answer" }, `Hand the screen to ${who}.`), el("p", { class: "controls" }, el("button", { type: "button", onclick: show }, `I am ${who}`)));
  }

  // Whether a choice has more moves than can be listed: it is made by a name and a number that is typed.
  function isTyped(step) {
    const decision = game.decisions[step.kind], spans = decision.kinds.map((_, i) => now.words.span(step.kind, i));
    return !decision.lists && !decision.keep && spans.reduce((n, [low, high]) => n * (high - low + 1), 1) > LISTED;
  }

  // The names that may be chosen with a number, and those that go without one: a number of 0.
  function typing(step) {
    const { stepper, words } = now, decision = game.decisions[step.kind], last = decision.kinds.length - 1, [low, high] = words.span(step.kind, last);
    const saved = stepper.save(), allowed = (move) => { const fine = stepper.make(move); stepper.restore(saved); return fine; };
    const names = decision.kinds.slice(0, last).reduce((lists, _, i) => {
      const [from, to] = words.span(step.kind, i);
      return lists.flatMap((list) => Array.from({ length: to - from + 1 }, (_, k) => [...list, from + k]));
    }, [[]]);
    const called = (name) => words.described({ ...decision, kinds: decision.kinds.slice(0, last) }, name);
    const amount = el("input", { type: "number", min: low, max: high, step: 1, value: now.amount ?? Math.max(low, Math.min(high, 10)), inputmode: "numeric", oninput: () => update() });
    const select = el("select"), none = el("p", { class: "help", role: "status" }), go = el("button", { type: "button" }, decision.called);
    const update = () => {
      const n = /^-?\d+$/.test(amount.value.trim()) ? Number(amount.value) : NaN, found = n >= low && n <= high && n !== 0 ? names.filter((name) => allowed([...name, n])) : [];
      const before = select.value;
      replace(select, found.map((name) => el("option", { value: name.join() }, called(name))));
      if (found.some((name) => name.join() === before)) select.value = before;
      go.disabled = !found.length;
      none.textContent = found.length ? "" : `No ${decision.called} is allowed now with this number; try another one.`;
    };
    go.addEventListener("click", () => { now.amount = amount.value; make([...select.value.split(",").map(Number), Number(amount.value)]); });
    const plain = names.filter((name) => low <= 0 && allowed([...name, 0]));
    update();
    return el("div", {}, el("h3", { class: "ask" }, `${words.names[step.seat] === "you" ? "You choose" : `${words.names[step.seat]} chooses`}: ${decision.called}`),
      el("div", { class: "fields" }, field("number", amount, low < 0 ? "a negative number takes back" : ""), field(decision.called, select)), none,
      el("p", { class: "controls" }, go, plain.map((name, i) => el("button", { type: "button", "aria-keyshortcuts": i < 9 ? String(i + 1) : null, onclick: () => make([...name, 0]) }, el("kbd", {}, String(i + 1)), called(name)))));
  }

  function advice(step, state) {
    const { valuer, words, stepper, mixed, estimates, track } = now, named = (move) => words.moveName(step.kind, move, now.secrets.open(state));
    if (mixed) {
      try {
        return coachedMixed(mixed, mixed.now(track, step.seat, stepper.save().cells), (move) => named(move.slice(0, game.decisions[step.kind].kinds.length)));
      } catch (error) { return el("p", { class: "help" }, `No hints: ${error.message}.`); }
    }
    if (estimates) {
      try {
        const before = game.decisions[step.kind].together && step.seat ? track.at(-step.seat).saved : null; // seats choose in turn
        return coachedEstimates(game, now.point, estimates.options(stepper.save(), before), named);
      } catch (error) { return el("p", { class: "help" }, `No hints: ${error.message}.`); }
    }
    if (!valuer) return el("p", { class: "help" }, "The coach knows only the parameters that the page begins with.");
    try {
      if (optimal.learned) return coachedLearned(optimal, valuer.options(stepper.save()), named);
      return coached(optimal, valuer.options(stepper.save()), (move) => words.moveName(step.kind, move, state));
    } catch (error) { return el("p", { class: "help" }, `The coach can't value this state: ${error.message}.`); }
  }

  const review = () => reviewed(optimal, now.valuer, now.track, now.stepper.save());

  async function showReview() {
    const { words, valuer, track, stepper } = now;
    replace(judged, el("p", { class: "help" }, valuer ? "Reviewing …" : "The review knows only the parameters that the page begins with."));
    if (!valuer) return;
    try {
      const told = { shown: now.people[0] ?? 0, player: (seat) => words.names[seat], move: (one, move) => words.moveName(one.kind, move, stepper.read(track[one.step - 1].saved)) };
      replace(judged, reviewElement(optimal, await review(), told));
    } catch (error) { replace(judged, el("p", { class: "notice bad" }, `This game can't be reviewed: ${error.message}.`)); }
  }

  const rowsOf = (part) => {
    const [low, high] = now.words.span(game.decisions.findIndex((d) => d.name === part.choice), 0);
    return high - low + 1;
  };

  // The moves allowed, with their words and what they add to the score at once.
  function described(step, state) {
    const { stepper, words } = now, found = stepper.moves(), saved = stepper.save();
    return found.map(({ move }) => {
      let gain = null;
      if (game.scores.length && !now.secrets.any) { // what a move adds could tell what is hidden
        stepper.make(move);
        gain = words.gain(state, stepper.read(), step.seat);
        stepper.restore(saved);
      }
      return { move, gain, words: words.moveName(step.kind, move, now.secrets.open(state)) };
    });
  }

  // What each row of a score sheet would score: if it is asked for, or as a preview while dice are kept.
  function scoring(step, moves, sheet) {
    if (now.secrets.any || !step || step.roll || !moves.length) return {};
    const asked = game.decisions[step.kind];
    if (asked.name !== sheet.choice) return asked.keep ? preview(step, sheet) : {};
    return Object.fromEntries(moves.map((one) => [one.move[0], { gain: one.gain, choose: () => make(one.move) }]));
  }

  // What each open row would score with the dice as they are.
  function preview(step, sheet) {
    const { stepper, words } = now, kind = game.decisions.findIndex((d) => d.name === sheet.choice), [low, high] = words.span(kind, 0);
    const saved = stepper.save(), before = stepper.read(), found = {};
    for (let value = low; value <= high; value++) {
      stepper.askFor(kind, step.seat);
      if (stepper.make([value])) found[value] = { gain: words.gain(before, stepper.read(), step.seat) };
      stepper.restore(saved);
    }
    return found;
  }

  function question(step, moves, sheets) {
    const decision = game.decisions[step.kind], who = now.words.names[step.seat];
    const title = el("h3", { class: "ask" }, `${who === "you" ? "You choose" : `${who} chooses`}: ${decision.called}`);
    if (decision.keep) return el("div", {}, title, picking(decision, moves));
    if (sheets.some((part) => part.choice === decision.name)) return el("div", {}, title, el("p", { class: "help" }, "Choose a row of the sheet above."));
    const button = (one, i) => el("button", { type: "button", onclick: () => make(one.move), "aria-keyshortcuts": i < 9 ? String(i + 1) : null },
      i < 9 && moves.length > 1 ? el("kbd", {}, String(i + 1)) : null, one.words, one.gain ? ` (${one.gain > 0 ? "+" : ""}${whole(one.gain)})` : null);
    if (moves.length <= MOST_BUTTONS) return el("div", {}, title, el("div", { class: "moves" }, moves.map(button)));
    const select = el("select", {}, moves.map((one, i) => el("option", { value: i }, `${one.words}${one.gain ? ` (${whole(one.gain)})` : ""}`)));
    return el("div", {}, title, field("move", select), el("p", { class: "controls" }, el("button", { type: "button", onclick: () => make(moves[Number(select.value)].move) }, "Play it")));
  }

  // Dice to click: those that are pressed are kept.
  function picking(decision, moves) {
    const faces = decision.keep.faces, row = now.stepper.read()[decision.keep.dice];
    const go = el("button", { type: "button" }), dice = [];
    const chosen = () => faces.map((_, k) => dice.filter((one) => one.face === k && one.button.getAttribute("aria-pressed") === "true").length);
    const update = () => {
      const move = chosen(), one = moves.find((each) => each.move.join() === move.join());
      go.disabled = !one;
      const name = now.words.described(decision, move);
      go.textContent = one ? `${decision.called} ${name}${one.gain ? ` (${one.gain > 0 ? "+" : ""}${whole(one.gain)})` : ""}` : `${name}: not allowed`;
    };
    row.forEach((n, k) => {
      for (let i = 0; i < n; i++) {
        const button = el("button", { type: "button", class: "pick", "aria-pressed": "false", "data-key": faces[k],
          onclick: () => { button.setAttribute("aria-pressed", String(button.getAttribute("aria-pressed") !== "true")); update(); } }, die(faces[k]));
        dice.push({ face: k, button });
      }
    });
    go.addEventListener("click", () => make(chosen()));
    const all = el("button", { type: "button", class: "quiet", onclick: () => { const on = dice.some((d) => d.button.getAttribute("aria-pressed") !== "true"); dice.forEach((d) => d.button.setAttribute("aria-pressed", String(on))); update(); } }, "all or none");
    update();
    return el("div", {}, el("p", { class: "dice" }, dice.map((one) => one.button)), el("p", { class: "controls" }, go, all));
  }

  function eventElement({ who, title, action, dice = [], total, news, from, open }) {
    if (from.includes(now.viewer)) {
      const what = action ?? title;
      return el("div", { class: "event" }, el("p", { class: "what" }, `${who ? `${who}, ${what}` : what}: hidden`), open.map((text) => el("p", {}, `${text}.`)));
    }
    const head = who ? `${who}, ${title}` : title;
    return el("div", { class: "event" }, news.length && !dice.length ? null : el("p", { class: "what" }, head, total !== undefined ? ` ${total}` : null),
      dice.length ? el("p", { class: "dice" }, dice.slice(0, 40).map((label) => die(label, true))) : null, [...news, ...open].map((text) => el("p", {}, `${text}.`)));
  }

  function ending(state) {
    const { words, stepper } = now;
    const tallies = game.tallies.map((t) => el("div", {}, el("dt", {}, t.called), el("dd", {}, whole(state[t.name]))));
    return el("div", { class: "notice" }, el("p", { class: "answer" }, words.ending(stepper.outcome, state)), el("dl", { class: "state" }, tallies));
  }

  // The game as `dicelab play --save` writes it.
  function logText() {
    const { stepper, values, seats, log, point } = now;
    const parameters = Object.fromEntries(game.params.map((p) => [p.name, p.names ? p.switch ? values[p.name] === 1 : p.names[values[p.name] - p.low] : values[p.name]]));
    const who = chooses ? seats.map((one) => [PERSON, BEST].includes(one.value) ? one.value : writtenCall(one)) : Array(Math.max(1, point.seats)).fill(PERSON);
    const data = { format: 1, game: game.file, parameters, seats: who, dice: `seed ${now.seed}`, moves: log };
    if (!stepper.step) {
      const state = stepper.read(), names = point.outcomes;
      const ending = names.length ? stepper.outcome < point.winners ? { winner: stepper.outcome + 1 } : { outcome: names[stepper.outcome] } : {};
      data.result = { ...ending, tallies: Object.fromEntries(game.tallies.map((t) => [t.name, state[t.name]])) };
    }
    return JSON.stringify(data, null, 1);
  }

  const writtenCall = ({ strategy, args }) => {
    const one = game.strategies[strategy], text = (p, v) => p.names ? p.names[v - p.low] : String(v);
    const parts = args.length === 1 ? [text(one.params[0], args[0])] : args.flatMap((v, j) => v === one.params[j].default ? [] : [`${one.params[j].name}=${text(one.params[j], v)}`]);
    return [one.name, ...parts].join(":");
  };

  function saveLog() { save(`${game.name}-${now.seed}.json`, "application/json", logText()); }

  async function copyLog(button) {
    try {
      await navigator.clipboard.writeText(logText());
      button.textContent = "Copied";
    } catch {
      button.textContent = "Save it instead";
    }
  }

  addEventListener("keydown", (event) => {
    if (!now || event.ctrlKey || event.altKey || event.metaKey || event.target.closest("input, select, textarea")) return;
    const picks = [...table.querySelectorAll("[data-key]")].filter((one) => one.dataset.key.toLowerCase() === event.key.toLowerCase());
    if (picks.length) {
      (picks.find((one) => one.getAttribute("aria-pressed") !== "true") ?? picks[0]).click();
      event.preventDefault();
      return;
    }
    table.querySelector(`[aria-keyshortcuts="${/^[1-9]$/.test(event.key) ? event.key : "none"}"]`)?.click();
  });

  return { element: el("div", { class: "panel" }, el("div", { class: "side" }, form), el("div", { class: "results" }, problem, table, judged)), log: () => now && logText(), review };
}

// Faces with this total, each combination of equal dice as likely as the next; the same ones for the same text.
function pickFaces(values, count, total, text) {
  if (count > 24) return null;
  const ways = [new Map([[0, 1]])];
  for (let k = 0; k < count; k++) {
    const next = new Map();
    for (const [sum, n] of ways[k]) for (const v of values) next.set(sum + v, (next.get(sum + v) ?? 0) + n);
    ways.push(next);
  }
  let seed = [...text].reduce((h, c) => Math.imul(h ^ c.charCodeAt(0), 16777619), 2166136261) >>> 0;
  const found = [];
  for (let k = count, left = total; k > 0; k--) {
    seed = (Math.imul(seed ^ (seed >>> 15), 2246822519) + 374761393) >>> 0;
    let at = seed / 4294967296 * (ways[k].get(left) ?? 0);
    for (const v of values) {
      at -= ways[k - 1].get(left - v) ?? 0;
      if (at < 0) { found.push(v); left -= v; break; }
    }
  }
  return found.length === count ? found : null;
}
