/**
 * The overlay for streaming: dice and outcome on a transparent page. It shows nothing without a live table, and comes
 * back with the table by itself. `?linger=20`: seconds that an outcome stays; 0 keeps it until the next attack.
 */

import { dieSvg } from "./dice.js";
import { draw, h } from "./dom.js";
import { keepFitted } from "./fit.js";
import { Live } from "./live.js";
import { mark } from "./marks.js";
import { Scenes } from "./scenes.js";
import { awaited, breaking, capital, SLOTS, source, verdict } from "./words.js";

const LINGER_S = 20;

const app = document.getElementById("app");
const asked = new URLSearchParams(location.search).get("linger");
const lingerMs = (asked === null || Number.isNaN(Number(asked)) ? LINGER_S : Number(asked)) * 1000;
const scenes = new Scenes();
const refit = keepFitted(app);
let news = { status: "waiting", state: null };
let timer = null;

navigator.serviceWorker?.register("/sw.js").catch(() => {}); // without it the page still works, but cannot start before the server

new Live(document.body.dataset.table, (heard) => {
  if (heard.status === "live" && news.status !== "live") scenes.reset();
  news = heard;
  render();
});

function render() {
  clearTimeout(timer);
  const now = Date.now();
  const scene = news.status === "live" ? scenes.at(news.state, now) : { attack: null, until: null };
  const ended = scene.attack && ["resolved", "void"].includes(scene.attack.state);
  const goes = ended && lingerMs > 0 ? scenes.shown.since + lingerMs : null;
  const gone = goes !== null && now >= goes;
  app.dataset.status = news.status;
  draw(app, scene.attack && !gone ? strip(scene.attack) : []);
  refit();
  const next = Math.min(scene.until ?? Infinity, gone ? Infinity : goes ?? Infinity);
  if (Number.isFinite(next)) timer = setTimeout(render, Math.max(20, next - now));
}

function strip(attack) {
  const players = new Map(news.state.players.map((player) => [player.id, player]));
  const { fate } = attack.state === "resolved" ? verdict(attack.outcome) : { fate: null };
  const virtual = attack.slots.some((slot) => slot.source === "virtual");
  return h("section", { class: "strip", "aria-label": "Attack", data: { state: attack.state, virtual: virtual ? "yes" : null } },
    wing(attack, players.get(attack.firer), "firer"),
    middle(attack),
    wing(attack, players.get(attack.target), "target", fate));
}

function wing(attack, player, side, fate = null) {
  const slots = attack.slots.filter((slot) => SLOTS[slot.slot]?.side === side);
  return h("div", { class: `wing of-${side}` },
    h("div", { class: "who" }, mark(player, { fate }), h("span", { class: "name", data: { fit: "name" } }, player?.name ?? capital(side))),
    h("div", { class: "pair" }, slots.map((slot) => piece(slot, player))));
}

function piece(slot, player) {
  const word = SLOTS[slot.slot]?.word ?? slot.slot;
  return h("figure", { data: { key: slot.slot } },
    dieSvg({ die: slot.die, value: slot.value, state: slot.state, colour: player?.colour, virtual: slot.source === "virtual", label: `${player?.name ?? slot.by} ${word}, ${slot.die}: ${slot.value ?? slot.state}` }),
    h("figcaption", {}, h("span", {}, word), slot.source === "virtual" && h("span", { class: "source", data: { source: "virtual" } }, source(slot))));
}

function middle(attack) {
  const players = new Map(news.state.players.map((player) => [player.id, player]));
  const damage = attack.slots.find((slot) => slot.slot === "damage");
  const ended = attack.state === "resolved" || attack.state === "void";
  return h("div", { class: "middle" },
    h("p", { class: "title" }, capital(attack.title)),
    h("div", { class: "say-row" },
      ended ? h("div", { class: "big", data: { fit: "line", key: "word" } }, h("span", {}, (attack.state === "void" ? "void" : verdict(attack.outcome).word).toUpperCase())) : h("div", { class: "big", data: { fit: "block", key: "owes" } }, h("div", {}, saying(attack).map((line) => h("p", {}, breaking(line))))),
      damage && piece(damage, players.get(damage.player))));
}

function saying(attack) {
  const asking = attack.slots.find((slot) => slot.state === "asking");
  return asking?.question ? [asking.question.text] : awaited(attack).slice(0, 1);
}

render();
