/** The attack on the table: typed into where dice are owed, pressed where one was misread, and what came of it. */

import { h } from "../dom.js";
import { engagement } from "../engagement.js";
import { mark } from "../marks.js";
import { capital, sentence, SLOTS, source, twins, unconfirmed, verdict } from "../words.js";
import { sidesOf, typed } from "./typing.js";

export function isOpen(attack) {
  return Boolean(attack) && (attack.state === "throwing" || attack.state === "damage");
}

export function attackBoard(state, ui) {
  const { attack } = state;
  const players = new Map(state.players.map((player) => [player.id, player]));
  const open = isOpen(attack);
  return h("section", { class: "attack", "aria-labelledby": "attack-title", data: { state: attack.state, key: "attack" } },
    brief(attack, players),
    h("form", { class: "entry", data: { submit: "enter" }, autocomplete: "off", novalidate: true },
      engagement(attack, players, { inside: open ? (slot) => field(slot, players, ui) : null, press: (slot, content, input) => pressable(slot, content, input, players, open) }),
      open && entryRow(attack, ui)),
    open ? standing(attack, players) : result(attack));
}

function brief(attack, players) {
  const fate = attack.state === "resolved" ? verdict(attack.outcome).fate : null;
  const [firer, target] = [players.get(attack.firer), players.get(attack.target)];
  return h("h2", { class: "brief", id: "attack-title" },
    h("span", { class: "side" }, mark(firer), h("span", {}, firer?.name ?? "Firer")),
    h("span", { class: "title" }, h("span", { class: "unseen" }, " fires "), capital(attack.title), h("span", { class: "unseen" }, " at ")),
    h("span", { class: "side of-target" }, mark(target, { fate }), h("span", {}, target?.name ?? "Target")));
}

function field(slot, players, ui) {
  const text = ui.typed[slot.slot] ?? "";
  const { wrong } = typed(slot.die, text);
  const zero = slot.die === "D10" ? ", 0 counts as 10" : "";
  return h("input", {
    class: "pip", type: "text", inputmode: "numeric", maxlength: 2, placeholder: slot.die, autocomplete: "off",
    "aria-label": `${players.get(slot.player)?.name ?? slot.by} ${SLOTS[slot.slot]?.word ?? slot.slot}, ${slot.die}, 1 to ${sidesOf(slot.die)}${zero}`,
    "aria-invalid": wrong ? "true" : null, "aria-describedby": "entry-says", value: text, data: { input: "type", slot: slot.slot, die: slot.die },
  });
}

/** A die that lies can be pressed: to answer it where it asks, else to say that it was misread. */
function pressable(slot, content, input, players, open) {
  if (input || !open || slot.state === "owed") return content;
  const who = players.get(slot.player)?.name ?? slot.by;
  const word = SLOTS[slot.slot]?.word ?? slot.slot;
  const says = slot.state === "asking" ? `${who} ${word}, ${slot.die}: answer what it shows` : `${who} ${word}, ${slot.die}: ${slot.value}, ${source(slot)}; correct it`;
  return h("button", { type: "button", class: "die-button", "aria-label": says, data: { do: slot.state === "asking" ? "reopen" : "misread", slot: slot.slot, reading: slot.reading } }, content);
}

function entryRow(attack, ui) {
  const owed = attack.slots.filter((slot) => slot.state === "owed");
  const filled = owed.filter((slot) => (ui.typed[slot.slot] ?? "") !== "");
  const wrong = filled.map((slot) => typed(slot.die, ui.typed[slot.slot]).wrong).find(Boolean);
  const all = attack.slots.every((slot) => slot.state === "filled");
  return h("div", { class: "entry-row" },
    all ? h("button", { type: "button", class: "primary", data: { do: "confirm" } }, "Resolve with these dice")
      : h("button", { type: "submit", class: "primary", "aria-disabled": filled.length === 0 || wrong ? "true" : null }, filled.length > 1 ? `Enter ${filled.length} dice` : "Enter the dice", h("kbd", {}, "Enter")),
    h("p", { class: "says", id: "entry-says", role: "status" }, wrong ?? (owed.length > 0 ? typing() : "")));
}

function typing() {
  return [
    h("span", { class: "by-keys" }, "Type what lies on the table: number keys, then Enter."),
    h("span", { class: "by-touch" }, "Press a die and type what lies on the table."),
  ];
}

function standing(attack, players) {
  const lines = unconfirmed(attack) ? ["Opened again: nothing counts yet", "Resolve with these dice, or press a die that was misread"] : attack.owes;
  const owes = lines.map((line, index) => h("p", { class: index === 0 ? "now" : "next" }, line));
  const said = [...(attack.notes ?? []), ...twins(attack, players)];
  return h("div", { class: "standing" },
    attack.state === "damage" && h("p", { class: "so-far" }, sentence(attack.outcome?.explanation ?? "Damaged")),
    owes, said.length > 0 && h("p", { class: "notes" }, said.map(sentence).join(" ")));
}

function result(attack) {
  if (attack.state === "void") return h("div", { class: "result" }, h("div", { class: "word", data: { fit: "line", fate: "void", key: "word" } }, h("span", {}, "VOID")), h("p", { class: "why" }, "Ended without an outcome."));
  const { word, means, fate } = verdict(attack.outcome);
  return h("div", { class: "result" },
    h("div", { class: "word", data: { fit: "line", fate, key: "word" } }, h("span", {}, word.toUpperCase())),
    h("p", { class: "why" }, means && h("b", {}, sentence(means), " "), sentence(attack.outcome.explanation)));
}
