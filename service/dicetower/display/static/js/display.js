/** The table display: who owes which die, each die as it lands, the outcome across the room. */

import { Announcer } from "./announce.js";
import { dieSvg } from "./dice.js";
import { draw, h } from "./dom.js";
import { armedSlots, pledged, pressing, troubles } from "./edice.js";
import { engagement } from "./engagement.js";
import { keepFitted } from "./fit.js";
import { Live } from "./live.js";
import { mark } from "./marks.js";
import { oddsBar } from "./oddsbar.js";
import { HOLD_MS, Scenes } from "./scenes.js";
import { age, awaited, breaking, capital, evidenceUrl, printed, sentence, twins, verdict } from "./words.js";

const TIGHTEST = 4;

const app = document.getElementById("app");
const table = document.body.dataset.table;
const asked = Number(new URLSearchParams(location.search).get("hold"));
const scenes = new Scenes(asked > 0 ? asked * 1000 : HOLD_MS);
const announcer = new Announcer(document.getElementById("spoken"));
const refit = keepFitted(app, makeRoom);
let news = { status: "waiting", state: null, heardAt: null };
let timer = null;

new Live(table, (heard) => {
  const back = heard.status === "live" && news.status !== "live";
  if (heard.status === "live") announcer.hear(heard.state);
  if (back && heard.fresh) scenes.reset();
  if (heard.status === "cut" && news.status === "live") announcer.say("The display is cut off; what it shows is getting old.");
  news = heard;
  render();
});

function render() {
  clearTimeout(timer);
  const now = Date.now();
  if (!news.state) {
    show("empty", strange());
    timer = null;
    return;
  }
  const scene = scenes.at(news.state, now);
  const phase = phaseOf(scene.attack);
  show(phase, [banner(), ...(scene.attack ? attackParts(scene, phase) : idleParts(news.state))]);
  const next = news.status === "cut" ? 1000 - (now % 1000) : scene.until ? Math.max(20, scene.until - now) : null;
  if (next !== null) timer = setTimeout(render, next);
}

function show(phase, parts) {
  app.dataset.phase = phase;
  app.dataset.status = news.status;
  draw(app, parts);
  refit();
}

/** Where the parts would run off the screen they draw closer, a step at a time, until all of them are on it. */
function makeRoom() {
  for (let step = 0; step <= TIGHTEST; step += 1) {
    app.dataset.tight = step;
    const floor = app.getBoundingClientRect().bottom - Number.parseFloat(getComputedStyle(app).paddingBottom);
    if ([...app.children].every((part) => part.getBoundingClientRect().bottom <= floor + 1)) return;
  }
}

function phaseOf(attack) {
  if (!attack) return "idle";
  if (attack.state === "resolved" || attack.state === "void") return attack.state;
  return attack.slots.some((slot) => slot.state === "asking") ? "asking" : attack.state;
}

/** No state yet: say which of the reasons it is. */
function strange() {
  const missing = news.status === "missing";
  return [
    h("h1", { class: "unseen" }, `Table ${table}`),
    h("div", { class: "say", data: { fit: "block", key: "say" } }, h("p", {}, breaking(missing ? `No table ${table} yet` : "Waiting for the server"))),
    h("p", { class: "why" }, missing ? `Open it on the control page; this display fills in by itself.` : "This display fills in by itself."),
  ];
}

function banner() {
  if (news.status === "cut") {
    return h("div", { class: "banner", role: "status", data: { key: "banner" } },
      h("b", {}, "Cut off. "), h("span", { "aria-hidden": "true" }, `What you see is ${age(Date.now() - news.heardAt)} old.`));
  }
  const asked = pressing(news.state);
  if (asked) return h("div", { class: "banner press", role: "status", data: { key: "press" } }, mark(asked), h("span", {}, h("b", {}, `Press ${asked.name}’s die.`), " That roll counts for nothing."));
  const [worst] = troubles(news.state);
  return worst ? h("div", { class: "banner", role: "status", data: { key: "banner" } }, h("b", {}, `${worst.name}: `), worst.text) : null;
}

function byId(state) {
  return new Map(state.players.map((player) => [player.id, player]));
}

function idleParts(state) {
  return [
    h("h1", { class: "unseen" }, `Table ${state.table}`),
    h("ul", { class: "facing", "aria-label": "Players" }, state.players.map((player) => h("li", {}, mark(player), h("span", {}, player.name)))),
    h("div", { class: "say", data: { fit: "block", key: "say" } }, h("p", {}, state.players.length > 1 ? "Nothing declared yet" : "Take your seats")),
    loose(state),
    fairness(state),
    lastThrows(state),
  ];
}

function attackParts({ attack, held }, phase) {
  const players = byId(news.state);
  const fate = attack.outcome && phase === "resolved" ? verdict(attack.outcome).fate : null;
  return [
    h("h1", { class: "brief" },
      side(players.get(attack.firer), "firer"),
      h("span", { class: "title" }, h("span", { class: "unseen" }, " fires "), capital(attack.title), h("span", { class: "unseen" }, " at ")),
      side(players.get(attack.target), "target", fate)),
    engagement({ ...attack, owes: attack.owes ?? [], slots: withArmed(attack) }, players),
    phase === "resolved" || phase === "void" ? word(attack, phase) : owed(attack, players, phase),
    loose(news.state),
    fairness(news.state),
    why(attack, phase),
    held && news.state.attack ? meanwhile(news.state.attack) : lastThrows(news.state, attack),
  ];
}

/** An owed die for which an e-die waits says so: its thrower need not be told by anybody. */
function withArmed(attack) {
  const armed = attack.id === news.state.attack?.id ? armedSlots(news.state) : new Set();
  return attack.slots.map((slot) => ({ ...slot, armed: slot.state === "owed" && armed.has(slot.slot) }));
}

function side(player, role, fate = null) {
  return h("span", { class: `side of-${role}` }, mark(player, { fate }), h("span", { class: "name", data: { fit: "name" } }, player?.name ?? capital(role)));
}

function word(attack, phase) {
  const { word: text, fate } = phase === "void" ? { word: "Void", fate: "void" } : verdict(attack.outcome);
  return h("div", { class: "word", data: { fit: "line", fate, key: "word" } }, h("span", {}, text.toUpperCase()));
}

function owed(attack, players, phase) {
  const asking = attack.slots.find((slot) => slot.state === "asking");
  const lines = phase === "asking" && asking?.question ? [asking.question.text] : awaited(attack);
  return h("div", { class: "owed", data: { key: "owed" } },
    phase === "damage" && h("p", { class: "so-far" }, "Damaged"),
    h("div", { class: "say", data: { fit: "block" } }, h("div", {}, lines.map((line) => h("p", {}, breaking(line))))),
    phase === "asking" && asking.question?.evidence && h("img", { class: "evidence", src: evidenceUrl(asking.question.evidence), alt: `The ${asking.die} as the camera saw it` }));
}

function why(attack, phase) {
  if (phase === "void") return h("p", { class: "why" }, "Ended without an outcome.");
  if (phase === "resolved") {
    const { means } = verdict(attack.outcome);
    return h("p", { class: "why" }, means && h("b", {}, sentence(means), " "), sentence(attack.outcome.explanation));
  }
  if (phase === "damage") return h("p", { class: "why" }, sentence(attack.outcome?.explanation ?? ""));
  const said = [...(attack.notes ?? []), ...twins(attack, byId(news.state))];
  if (said.length > 0) return h("p", { class: "why" }, said.map(sentence).join(" "));
  if (!attack.odds) return null;
  return h("div", { class: "chances" },
    h("p", { class: "printed" }, h("span", {}, "Printed effectiveness"), " ", h("b", {}, printed(attack.printed))),
    oddsBar(attack.odds, "Exact odds"));
}

/** Dice that nobody owed: the newest says why it was not taken, the rest are counted. */
function loose(state) {
  const dice = state.unassigned ?? [];
  if (dice.length === 0) return null;
  const [newest] = dice.slice(-1);
  return h("p", { class: "loose" },
    dieSvg({ die: newest.die, value: newest.value, state: newest.value === null ? "asking" : "filled", colour: "#d9e0dc", virtual: newest.source === "virtual" }),
    h("span", {}, h("b", {}, "Not placed: "), sentence(newest.why), dice.length > 1 && ` And ${dice.length - 1} more.`));
}

/** What the e-dice have committed to, and what came of it. */
function fairness(state) {
  const said = pledged(state);
  return said.length > 0 ? h("p", { class: "loose pledged" }, h("span", {}, h("b", {}, "Fair e-dice: "), said.map(({ name, text }) => sentence(`${name} ${text}`)).join(" "))) : null;
}

/** A result is being held: what the table is at now stands under it, so that nobody waits unknowing. */
function meanwhile(attack) {
  const text = attack.state === "resolved" ? "The next result follows." : `Next: ${awaited(attack).join("; ") || attack.title}.`;
  return h("p", { class: "meanwhile" }, text);
}

function lastThrows(state, shown = null) {
  const past = (state.last ?? []).filter((each) => each.id !== shown?.id).slice(0, 3);
  if (past.length === 0) return null;
  const players = byId(state);
  return h("section", { class: "last", "aria-label": "Last throws" }, h("ol", {}, past.map((each) => pastThrow(each, players))));
}

function pastThrow(attack, players) {
  const { word: text } = attack.state === "void" || !attack.outcome ? { word: "Void" } : verdict(attack.outcome);
  return h("li", { data: { key: attack.id } },
    h("span", { class: "past-title" }, mark(players.get(attack.firer)), h("span", {}, capital(attack.title)), mark(players.get(attack.target))),
    h("span", { class: "past-dice" }, (attack.slots ?? []).filter((slot) => slot.value !== null).map((slot) => dieSvg({
      die: slot.die, value: slot.value, colour: players.get(slot.player)?.colour, virtual: slot.source === "virtual", label: `${slot.slot} ${slot.die}: ${slot.value}`,
    })), h("b", {}, text)));
}

/** A display that goes dark in mid-game is no display; where the browser has no wake lock its own settings rule. */
async function stayAwake() {
  if (document.visibilityState === "visible") await navigator.wakeLock?.request("screen").catch(() => {});
}

document.addEventListener("visibilitychange", stayAwake);
stayAwake();
navigator.serviceWorker?.register("/sw.js").catch(() => {}); // it only lets the display open before its server
render();
