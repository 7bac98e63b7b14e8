/** The dialog of the e-dice: how each is, whose it is, what it is called, and "press Red's die". */

import { h } from "../dom.js";
import { dieName, eDice, pledged, pressing, standing } from "../edice.js";
import { mark } from "../marks.js";
import { capital, sentence } from "../words.js";
import { isOpen } from "./attack.js";
import { primary, refusal, shell } from "./shell.js";

export function edice(ui, state) {
  const dice = eDice(state);
  return shell("E-dice", "nameDie", [
    asking(ui, state, dice), refusal(ui),
    h("ul", { class: "edice" }, dice.map((die) => item(die, state, ui))),
    dice.length === 0 && h("p", {}, "No e-die has answered yet. Plug one in; it shows here by itself."),
  ]);
}

/** Whose die is asked for, or the buttons that ask. */
function asking(ui, state, dice) {
  const asked = pressing(state);
  const owing = isOpen(state.attack);
  return h("section", { class: "press-row", "aria-label": "Bind by pressing" },
    h("p", { class: "says-large", role: "status" }, asked ? `Press ${asked.name}’s die now. That roll counts for nothing.` : came(ui, state, dice)),
    asked ? h("button", { type: "button", class: "secondary", data: { do: "pressNoMore", key: "stop" } }, "Stop asking")
      : state.players.map((player) => h("button", { type: "button", class: "secondary", "aria-disabled": owing || dice.length === 0 ? "true" : null, data: { do: "press", player: player.id, key: `press ${player.id}` } }, mark(player), `Press ${player.name}’s die`)));
}

function came(ui, state, dice) {
  const player = state.players.find((each) => each.id === ui.dialog.asked);
  if (isOpen(state.attack)) return "Dice are owed: an e-die that is pressed now rolls for the attack. Choose whose it is below.";
  if (!player) return "Whose die is whose? Ask for one and press it, or choose below.";
  const theirs = dice.filter((die) => die.player === player.id).map(dieName);
  return theirs.length > 0 ? `${player.name} has ${theirs.join(", ")}.` : `No die was pressed for ${player.name}.`;
}

function item(die, state, ui) {
  const { source, uid } = die;
  const name = dieName(die);
  return h("li", { data: { key: uid ?? name, state: source?.ok ? "well" : "ill" } },
    h("div", { class: "edie-head" },
      h("b", {}, capital(name)), h("span", { class: "edie-state" }, standing(die)),
      uid && ui.dialog.naming !== uid && h("button", { type: "button", class: "quiet", data: { do: "naming", uid, key: "name" } }, "Name", h("span", { class: "unseen" }, ` ${name}`))),
    pledged(state).filter(({ key }) => uid && key.startsWith(uid)).map(({ text }) => h("p", { class: "edie-reason" }, sentence(text))),
    source?.reason && h("p", { class: "edie-reason" }, sentence(source.reason)),
    ui.dialog.naming === uid && uid && h("div", { class: "edie-naming" }, h("label", { class: "field" }, `Name of ${uid}`, h("input", { class: "text", type: "text", name: "die-name", maxlength: 30 })), primary("Save")),
    uid && whose(die, state, name),
    h("p", { class: "edie-facts" }, facts(die).filter(Boolean).join(" · ")));
}

function whose({ uid, player = null }, state, name) {
  const options = [{ id: "", name: "Nobody" }, ...state.players];
  return h("fieldset", { class: "chips" }, h("legend", {}, h("span", { class: "unseen" }, `${name} is `), "Whose"),
    options.map((each) => h("label", { class: "chip", data: { key: `${uid} ${each.id}` } },
      h("input", { type: "radio", name: `whose ${uid}`, value: each.id, data: { change: "bind", uid }, checked: (player ?? "") === each.id }), h("span", {}, each.id && mark(each), each.name))));
}

/** What a person looks for when a die misbehaves: which it is, where, what it rolled, what was lost. */
function facts({ source, uid, name }) {
  if (!source) return [uid];
  const { port, firmware, last, rolls, lost_lines: lost } = source.detail;
  return [
    name && uid?.slice(0, 6), firmware && `firmware ${firmware}`, port,
    last && `last roll ${last.die} ${last.value ?? "not a face"}`,
    rolls?.late > 0 && `${rolls.late} unasked`, rolls?.missing > 0 && `${rolls.missing} never came`, lost > 0 && `${lost} lines lost`,
  ];
}
