/** The control page: declare, throw, answer, put right. The page is drawn from `state` and `ui`; acts change them. */

import { Announcer } from "./announce.js";
import { get, requestId, send, upload } from "./api.js";
import { draw, h, obey } from "./dom.js";
import { keepFitted } from "./fit.js";
import { Live } from "./live.js";
import { COLOURS, mark, SHAPES } from "./marks.js";
import { setTheme } from "./themes.js";
import { eDice, pressing, troubles } from "./edice.js";
import { age } from "./words.js";
import { attackBoard, isOpen } from "./control/attack.js";
import { firingTable, fireButtons, preview } from "./control/declare.js";
import { dialog, isAsDeclared } from "./control/dialogs.js";
import { questions, unassigned } from "./control/doubts.js";
import { againRow, lastThrows, tools } from "./control/tools.js";
import { typed } from "./control/typing.js";
import { attackOf, draftOf, firstDraft, settled } from "./control/weapons.js";

const ODDS_WAIT_MS = 60; // a run of presses asks once
const ODDS_AGAIN_MS = 2000; // where the server did not answer

const app = document.getElementById("app");
const table = new URLSearchParams(location.search).get("table") ?? document.body.dataset.table;
const announcer = new Announcer(document.getElementById("spoken"));
const refit = keepFitted(app);

let news = { status: "waiting", state: null, heardAt: null };
let rules = null;
const ui = {
  draft: null, drawnFrom: null, odds: null, refusal: "", typed: {}, later: new Set(), wide: new Set(), types: new Map(), whose: "",
  dialog: null, message: "", busy: "", queue: new Set(), focus: null, tables: [], keys: kept("dicetower keys") !== "off",
};

function kept(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null; // storage can be forbidden; the default stands
  }
}

/* What is drawn */

function render() {
  const typing = document.activeElement?.matches("input.pip");
  draw(app, header(), banner(), h("main", { class: "plot", data: { open: isOpen(news.state?.attack) ? "yes" : "no" } }, news.state && rules ? plot(news.state) : waiting()), dialog(ui, news.state, rules));
  const open = app.querySelector("dialog");
  if (open && !open.open) open.showModal();
  refit();
  if (typing && document.activeElement === document.body) ui.focus ??= emptyField(); // its die came another way
  if (ui.focus) app.querySelector(ui.focus)?.focus();
  ui.focus = null;
}

function header() {
  const { state } = news;
  return h("header", { class: "top" },
    h("h1", {}, "Dicetower"),
    h("button", { type: "button", class: "quiet table-name", data: { do: "open", dialog: "tables" } }, h("span", { class: "unseen" }, "Table "), state?.table ?? table),
    state && h("button", { type: "button", class: "quiet seated", data: { do: "open", dialog: "players" } }, state.players.map((player) => mark(player)), h("span", {}, "Players")),
    state && h("button", { type: "button", class: "quiet", data: { do: "open", dialog: "settings" } }, "House rules"),
    state && (eDice(state).length > 0 || pressing(state)) && h("button", { type: "button", class: "quiet dice-button", data: { do: "open", dialog: "edice" } }, "E-dice"),
    state && h("a", { class: "quiet", href: `/display/${state.table}`, target: "_blank", rel: "noopener" }, "Display"),
    h("button", { type: "button", class: "quiet keys", "aria-label": "Keys", data: { do: "open", dialog: "keys" } }, h("kbd", {}, "?")));
}

function banner() {
  const parts = [];
  if (news.status === "cut") parts.push(h("div", { class: "banner", role: "status", data: { key: "cut" } }, h("b", {}, "Cut off from the server. "), h("span", { "aria-hidden": "true" }, `What you see is ${age(Date.now() - news.heardAt)} old. `), "Dice entered now are refused, not lost: they stay typed."));
  for (const each of news.state ? troubles(news.state) : []) parts.push(h("div", { class: "banner", role: "status", data: { key: `source ${each.key}` } }, h("b", {}, `${each.name}: `), each.text));
  if (ui.message) parts.push(h("div", { class: "message", role: "alert", data: { key: "message" } }, h("p", {}, ui.message), h("button", { type: "button", class: "close", "aria-label": "Dismiss", data: { do: "hush" } }, h("span", { "aria-hidden": "true" }, "×"))));
  return parts;
}

function waiting() {
  const missing = news.status === "missing";
  return h("section", { class: "nothing" }, h("h2", {}, missing ? `There is no table ${table} yet` : "Waiting for the server"),
    missing ? h("button", { type: "button", class: "primary", data: { do: "openThis" } }, `Open table ${table}`) : h("p", {}, "This page fills in by itself."));
}

function plot(state) {
  const open = isOpen(state.attack);
  return [
    h("div", { class: "board" },
      questions(state, ui), state.attack ? attackBoard(state, ui) : idle(state), unassigned(state, ui), !open && againRow(state), lastThrows(state)),
    open ? tools(state, ui) : declare(state),
  ];
}

function idle(state) {
  return h("section", { class: "idle", "aria-label": "Players" }, h("ul", {}, state.players.map((player) => h("li", {}, mark(player), h("span", {}, player.name)))), h("p", {}, "Nothing declared yet."));
}

function declare(state) {
  const last = state.attack ?? (state.last ?? [])[0] ?? null;
  return h("section", { class: "declare", "aria-labelledby": "declare-title", data: { key: "declare" } },
    h("h2", { id: "declare-title" }, "Declare an attack"),
    h("div", { class: "declare-form" }, firingTable(rules, ui.draft, "declare")),
    preview(ui.odds, ui.refusal),
    state.players.length > 1 ? fireButtons(state.players, last) : h("button", { type: "button", class: "primary", data: { do: "open", dialog: "players" } }, "Seat a second player"));
}

/* What is heard */

const live = new Live(table, (heard) => {
  if (heard.status === "live") {
    announcer.hear(heard.state);
    answered();
  }
  news = heard;
  document.title = `${heard.state?.table ?? table} · Dicetower`;
  follow();
  render();
});

/** The server is there: that it did not answer is no longer so. */
function answered() {
  const { unanswered, dialog: shown } = ui;
  if (!unanswered) return;
  if (ui.message === unanswered) ui.message = "";
  if (shown?.refusal === unanswered) shown.refusal = "";
}

/** Keep what the page adds to the state in step with it. */
function follow() {
  const { state } = news;
  if (!state) return;
  const owed = new Set((state.attack?.slots ?? []).filter((slot) => slot.state === "owed").map((slot) => slot.slot));
  for (const slot of Object.keys(ui.typed)) if (!owed.has(slot) || ui.typedFor !== state.attack.id) delete ui.typed[slot];
  if (!rules) return;
  const declared = state.attack?.declared;
  if (declared && ui.drawnFrom !== state.attack.id) {
    ui.drawnFrom = state.attack.id;
    ui.draft = draftOf(declared, ui.draft, rules.systems);
    askOdds();
  }
}

let oddsTimer = null;
let oddsCall = null;

function askOdds() {
  clearTimeout(oddsTimer);
  oddsTimer = setTimeout(async () => {
    oddsCall?.abort();
    const call = new AbortController();
    oddsCall = call;
    const body = { ...attackOf(ui.draft, rules.systems), damage_table: news.state?.settings.damage_table };
    const [odds, refusal] = await send("/odds", body, { signal: call.signal }).then((found) => [found, ""], (fault) => {
      if (fault.status === 0 && !call.signal.aborted) oddsTimer = setTimeout(askOdds, ODDS_AGAIN_MS);
      return [null, fault.message];
    });
    if (call.signal.aborted) return;
    [ui.odds, ui.refusal] = [odds, refusal];
    render();
  }, ODDS_WAIT_MS);
}

/* What is done */

const path = `/tables/${encodeURIComponent(table)}`;

let turn = Promise.resolve();

/**
 * Do `act` after what is being done already; pressed twice it is done once. Show the new state, or the sentence that
 * refuses it (in the open dialog if there is one).
 */
async function doing(name, act) {
  if (ui.queue.has(name)) return false;
  ui.queue.add(name);
  const before = turn;
  let done;
  turn = new Promise((resolve) => (done = resolve));
  await before;
  ui.busy = name;
  try {
    const state = await act();
    ui.message = "";
    if (state?.seq !== undefined && state.players) live.accept(state);
    return true;
  } catch (refusal) {
    if (ui.dialog) ui.dialog.refusal = refusal.message;
    else ui.message = refusal.message;
    if (refusal.status === 0) ui.unanswered = refusal.message;
    return false;
  } finally {
    ui.busy = "";
    ui.queue.delete(name);
    done();
    render();
  }
}

async function closing(name, act) {
  if (await doing(name, act)) close();
}

function close() {
  ui.dialog = null;
  app.querySelector("dialog")?.close();
  render();
}

const attackPath = () => `${path}/attacks/${news.state.attack.id}`;
const firstField = () => "input.pip";

function emptyField() {
  const next = (news.state?.attack?.slots ?? []).find((slot) => slot.state === "owed" && !ui.typed[slot.slot]);
  return next ? `input[data-slot="${next.slot}"]` : ".entry [type=submit]"; // all are typed: Enter is next, and no digit is added
}

const opened = {
  tables: async () => {
    ui.dialog = { kind: "tables" };
    ui.tables = (await get("/tables")).tables;
  },
  players: () => (ui.dialog = { kind: "players", seat: null }),
  fairness: () => {
    const asked = { kind: "fairness", figures: null };
    ui.dialog = asked;
    get(`${path}/fairness`).then((found) => (asked.figures = found), (refusal) => (asked.refusal = refusal.message)).finally(render);
  },
  settings: () => (ui.dialog = { kind: "settings" }),
  keys: () => (ui.dialog = { kind: "keys" }),
  edice: () => (ui.dialog = { kind: "edice", naming: null, asked: pressing(news.state)?.id ?? null }),
  void: () => (ui.dialog = { kind: "void", reason: "" }),
  reroll: () => (ui.dialog = { kind: "reroll", slots: new Set(), reason: "" }),
  correction: () => {
    const { attack } = news.state;
    ui.dialog = { kind: "correction", draft: draftOf(attack.declared, ui.draft, rules.systems), firer: attack.firer, target: attack.target, preview: null };
    lookAtCorrection();
  },
};

function lookAtCorrection() {
  const asked = ui.dialog;
  const { draft, firer, target } = asked;
  asked.preview = null;
  asked.refusal = "";
  asked.asking = (asked.asking ?? 0) + 1;
  const turn = asked.asking;
  if (isAsDeclared(asked, news.state.attack, rules)) return;
  send(`${attackPath()}/correction`, { ...attackOf(draft, rules.systems), firer, target, confirm: false })
    .then((found) => turn === asked.asking && (asked.preview = found), (refusal) => turn === asked.asking && (asked.refusal = refusal.message))
    .finally(render);
}

function choose(draft, choice, value) {
  if (choice === "weapon") {
    const [system, key, ...words] = value.split(" ");
    return settled({ ...draft, system, ...(key ? { [key]: words.join(" ") } : {}) }, rules.systems);
  }
  if (choice === "size") return { ...draft, size: Number(value) };
  if (choice === "target") {
    const [kind, what] = value.split(" ");
    return kind === "armour" ? { ...draft, kind: "vehicle", armour: Number(what) } : { ...draft, kind: "infantry", infantry: what };
  }
  return { ...draft, [choice]: value };
}

function again() {
  if (news.state?.attack && !isOpen(news.state.attack)) doing("again", async () => {
    const state = await send(`${path}/again`, {});
    ui.focus = firstField();
    return state;
  });
}

function undo() {
  if (!news.state?.undo || ui.dialog) return;
  ui.dialog = { kind: "undo", preview: null };
  const asked = ui.dialog;
  send(`${path}/undo`, { confirm: false }).then((found) => (asked.preview = found), (refusal) => (asked.refusal = refusal.message)).finally(render);
  render();
}

function enter() {
  const { attack } = news.state;
  const dice = attack.slots.filter((slot) => slot.state === "owed" && ui.typed[slot.slot]).map((slot) => ({ slot: slot.slot, die: slot.die, ...typed(slot.die, ui.typed[slot.slot]) }));
  if (dice.length === 0 || dice.some((each) => each.value === null)) return;
  ui.request ??= requestId(); // kept until it is taken, so that a second press after a lost answer is the same throw
  const { request } = ui;
  doing(`enter ${request}`, async () => { // other dice typed while an answer is on its way are entered after it
    const state = await send(`${path}/throws`, { request, player: null, dice: dice.map(({ slot, die, value }) => ({ slot, die, value })) });
    if (ui.request === request) ui.request = null;
    // The stream may have shown this state before its answer came: what was typed since for other dice stays, and so does its place.
    for (const { slot } of dice) delete ui.typed[slot];
    const goesOn = Object.keys(ui.typed).length > 0 && document.activeElement?.matches("input.pip");
    if (!goesOn) ui.focus = isOpen(state.attack) ? firstField() : ".again";
    return state;
  });
}

function nextField(slot) {
  const order = news.state.attack.slots.filter((each) => each.state === "owed").map((each) => each.slot);
  const next = order.slice(order.indexOf(slot) + 1).find((each) => !ui.typed[each]);
  if (next) ui.focus = `input[data-slot="${next}"]`;
}

obey(app, {
  /* press */
  declare: ({ dataset }) => doing("declare", async () => {
    const state = await send(`${path}/attacks`, { ...attackOf(ui.draft, rules.systems), firer: dataset.firer, target: dataset.target });
    scrollTo(0, 0); // the attack is drawn at the top, the button pressed may be far below
    ui.focus = firstField();
    return state;
  }),
  again, undo, close,
  hush: () => { ui.message = ""; render(); },
  open: async ({ dataset }) => {
    await opened[dataset.dialog]();
    render();
  },
  openThis: () => doing("open", () => send("/tables", { table })),
  confirm: () => doing("confirm", () => send(`${attackPath()}/confirm`, {})),
  virtual: () => doing("virtual", () => send(`${path}/virtual`, { request: requestId(), player: ui.whose || null })),
  misread: ({ dataset }) => { ui.dialog = { kind: "misread", slot: dataset.slot, value: null, reason: "" }; render(); },
  reopen: ({ dataset }) => { ui.later.delete(dataset.reading); ui.focus = ".question .answer"; render(); },
  later: ({ dataset }) => { ui.later.add(dataset.reading); render(); },
  "type-of": ({ dataset }) => { ui.types.set(dataset.reading, dataset.die); render(); },
  wide: ({ dataset }) => { ui.wide.add(dataset.reading); render(); },
  answer: ({ dataset }) => doing(`answer ${dataset.reading}`, () => send(`${path}/readings/${encodeURIComponent(dataset.reading)}/answer`, { die: dataset.die || null, value: Number(dataset.value) })),
  place: ({ dataset }) => doing(`place ${dataset.reading}`, () => send(`${path}/readings/${encodeURIComponent(dataset.reading)}/place`, { slot: dataset.slot })),
  dismiss: ({ dataset }) => doing(`dismiss ${dataset.reading}`, () => send(`${path}/readings/${encodeURIComponent(dataset.reading)}/dismiss`, {})),
  dismissAll: () => doing("dismiss", async () => {
    let state = news.state;
    for (const each of news.state.unassigned) state = await send(`${path}/readings/${encodeURIComponent(each.reading)}/dismiss`, {});
    return state;
  }),
  editSeat: ({ dataset }) => {
    const { players } = news.state;
    const player = players.find((each) => each.id === dataset.seat);
    ui.dialog = { kind: "players", seat: dataset.seat, colour: player?.colour ?? freeLook("colour", players), shape: player?.shape ?? freeLook("shape", players) };
    ui.focus = ".seat-form input[name=name]";
    render();
    const field = app.querySelector(".seat-form input[name=name]");
    field.value = player?.name ?? "";
  },
  press: ({ dataset }) => {
    ui.dialog.asked = dataset.player;
    ui.dialog.refusal = "";
    doing("press", () => send(`${path}/edice/binding`, { player: dataset.player }));
  },
  pressNoMore: () => doing("press", () => send(`${path}/edice/binding/cancel`, {})),
  naming: ({ dataset }) => {
    ui.dialog.naming = dataset.uid;
    ui.focus = "input[name=die-name]";
    render();
    app.querySelector("input[name=die-name]").value = news.state.edice.find((die) => die.uid === dataset.uid)?.name ?? "";
  },
  /* change */
  bind: ({ dataset: { uid }, value }) => doing(`bind ${uid}`, () => send(`${path}/edice/${uid}`, { player: value || null }, { method: "PATCH" })),
  choose: ({ dataset, value }) => {
    const draft = choose(dataset.group === "correction" ? ui.dialog.draft : ui.draft, dataset.choice, value);
    if (dataset.group === "correction") {
      ui.dialog.draft = draft;
      lookAtCorrection();
    } else {
      ui.draft = draft;
      askOdds();
    }
    render();
  },
  who: ({ dataset, value }) => { ui.dialog[dataset.key] = value; lookAtCorrection(); render(); },
  whose: ({ value }) => { ui.whose = value; render(); },
  look: ({ dataset, value }) => { ui.dialog[dataset.part] = value; render(); },
  face: ({ value }) => { ui.dialog.value = Number(value); render(); },
  slot: ({ value, checked }) => { ui.dialog.slots[checked ? "add" : "delete"](value); render(); },
  reason: ({ value }) => { ui.dialog.reason = value.trim() ? value : ""; render(); },
  theme: ({ value }) => { setTheme(value); render(); },
  keys: ({ value }) => {
    ui.keys = value === "true";
    try {
      localStorage.setItem("dicetower keys", ui.keys ? "on" : "off");
    } catch {
      // storage can be forbidden; the choice then lasts as long as the page
    }
    render();
  },
  setting: async ({ dataset: { key }, value }) => {
    const { dialog: asked } = ui;
    const chosen = value === "true" ? true : value === "false" ? false : value;
    asked.set = { ...asked.set, [key]: chosen };
    render();
    await doing(`setting ${key} ${value}`, () => send(`${path}/settings`, { [key]: chosen }, { method: "PATCH" }));
    if (asked.set[key] === chosen) delete asked.set[key];
    render();
    if (rules) askOdds();
  },
  photo: (input) => {
    const [picture] = input.files;
    if (!picture) return;
    const form = new FormData();
    form.append("photo", picture);
    form.append("request", requestId());
    if (ui.whose) form.append("player", ui.whose);
    input.value = "";
    doing("photo", () => upload(`${path}/photo`, form));
    render();
  },
  /* input */
  type: (input) => {
    const text = input.value.replaceAll(/\D/g, "");
    ui.typed[input.dataset.slot] = text;
    ui.typedFor = news.state.attack.id;
    ui.request = null;
    if (typed(input.dataset.die, text).done) nextField(input.dataset.slot);
    render();
  },
  /* submit */
  enter,
  openTable: (form) => {
    const name = form.elements.table.value.trim();
    doing("open", () => send("/tables", { table: name })).then((done) => done && location.assign(`/?table=${encodeURIComponent(name)}`));
  },
  seat: (form) => {
    if (!ui.dialog.seat) return;
    const { seat, colour, shape } = ui.dialog;
    const body = { name: form.elements.name.value.trim(), colour, shape };
    doing("seat", () => (seat === "new" ? send(`${path}/players`, body) : send(`${path}/players/${seat}`, body, { method: "PATCH" }))).then((done) => {
      if (!done) return;
      ui.dialog = { kind: "players", seat: null };
      render();
    });
  },
  nameDie: (form) => {
    const { naming } = ui.dialog;
    const name = form.elements["die-name"]?.value.trim();
    if (!naming || name === undefined) return;
    doing("name", () => send(`${path}/edice/${naming}`, { name }, { method: "PATCH" })).then((done) => {
      if (!done) return;
      ui.dialog = { ...ui.dialog, naming: null, refusal: "" };
      ui.focus = `li[data-key="${naming}"] button`;
      render();
    });
  },
  confirmUndo: () => closing("undo", () => send(`${path}/undo`, { confirm: true, seq: ui.dialog.preview.seq })),
  confirmVoid: () => closing("void", () => send(`${attackPath()}/void`, { reason: ui.dialog.reason })),
  confirmReroll: () => closing("reroll", () => send(`${attackPath()}/reroll`, { slots: [...ui.dialog.slots], reason: ui.dialog.reason })),
  confirmMisread: () => closing("misread", () => send(`${attackPath()}/slots/${encodeURIComponent(ui.dialog.slot)}/value`, { value: ui.dialog.value, reason: ui.dialog.reason })),
  confirmCorrection: () => closing("correction", () => send(`${attackPath()}/correction`, { ...attackOf(ui.dialog.draft, rules.systems), firer: ui.dialog.firer, target: ui.dialog.target, confirm: true, seq: ui.dialog.preview.seq })),
});

/** The first colour or shape that nobody at the table has. */
function freeLook(part, players) {
  const taken = new Set(players.map((player) => player[part]));
  return (part === "colour" ? COLOURS.map(({ colour }) => colour) : SHAPES).find((value) => !taken.has(value)) ?? null;
}

app.addEventListener("close", (event) => {
  if (event.target instanceof HTMLDialogElement && !event.target.open && ui.dialog) {
    ui.dialog = null;
    render();
  }
}, true);

document.addEventListener("keydown", (event) => {
  const { target } = event;
  const typing = target instanceof HTMLElement && (target.matches("input[type=text], select, textarea") || target.isContentEditable);
  if (ui.dialog && app.querySelector("dialog")?.open === false) ui.dialog = null; // closed by Escape, and its event is still on the way
  if (!ui.keys || ui.dialog || typing || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "a" && !event.repeat) again();
  else if (event.key === "u" && !event.repeat) undo();
  else if (event.key === "?") opened.keys(), render();
  else if (/^[0-9]$/.test(event.key) && isOpen(news.state?.attack)) app.querySelector(emptyField())?.focus(); // the digit then goes into it
});

setInterval(() => news.status === "cut" && render(), 1000);

async function start() {
  try {
    rules = await get("/rules");
  } catch {
    setTimeout(start, 1000); // the server is not there yet
    return;
  }
  ui.draft = firstDraft(rules.systems);
  follow();
  askOdds();
  render();
}

render();
start();
