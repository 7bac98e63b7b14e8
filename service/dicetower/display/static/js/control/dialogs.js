/** What is asked before something is changed. Closing any of them, or Escape, commits nothing. */

import { dieSvg } from "../dice.js";
import { h } from "../dom.js";
import { COLOURS, mark, SHAPES } from "../marks.js";
import { THEMES, theme } from "../themes.js";
import { capital, sentence, SLOTS } from "../words.js";
import { firingTable } from "./declare.js";
import { edice } from "./edice.js";
import { fairness } from "./fairness.js";
import { primary, refusal, shell } from "./shell.js";
import { faces } from "./typing.js";
import { saysDeclared } from "./weapons.js";

const REASONS = { misread: ["Misread by the camera", "Typed wrong", "Die was cocked"], reroll: ["Die was cocked", "Die left the tray", "Thrown out of turn"], void: ["Declared by mistake", "Out of range", "Players agreed"] };

const DRAWN = { tables, players, settings, undo, correction, misread, reroll, void: voiding, keys, edice, fairness };

/** The open dialog, or null. */
export function dialog(ui, state, rules) {
  const inside = ui.dialog && DRAWN[ui.dialog.kind]?.(ui, state, rules);
  if (!inside) return null;
  return h("dialog", { class: `dialog of-${ui.dialog.kind}`, "aria-labelledby": "dialog-title", data: { key: `dialog ${ui.dialog.kind}` } }, inside);
}

function reasonField(ui, kind) {
  return h("fieldset", { class: "chips reasons" }, h("legend", {}, "Why"),
    REASONS[kind].map((text) => h("label", { class: "chip", data: { key: text } }, h("input", { type: "radio", name: "reason", value: text, data: { change: "reason" }, checked: ui.dialog.reason === text }), h("span", {}, text))),
    h("input", { class: "text", type: "text", maxlength: 200, "aria-label": "Another reason", placeholder: "Another reason", value: REASONS[kind].includes(ui.dialog.reason) ? "" : ui.dialog.reason ?? "", data: { input: "reason" } }));
}

function tables(ui, state) {
  return shell("Tables", "openTable", [
    h("ul", { class: "table-list" }, (ui.tables ?? []).map((name) => h("li", {}, h("a", { href: `/?table=${name}`, "aria-current": name === state?.table ? "page" : null }, name)))),
    h("label", { class: "field" }, "Open another", h("input", { class: "text", type: "text", name: "table", maxlength: 32, spellcheck: "false", placeholder: "kitchen-table", "aria-describedby": "table-hint" })),
    h("p", { class: "soft", id: "table-hint" }, "Small letters, digits and hyphens."), refusal(ui),
  ], primary("Open it"));
}

function players(ui, state) {
  return shell("Players", "seat", [
    h("ul", { class: "seats" }, state.players.map((player) => seat(player, ui.dialog.seat === player.id ? ui.dialog : null))),
    ui.dialog.seat === "new" ? h("div", { class: "seat-form" }, nameField(), look(ui.dialog)) : null, refusal(ui),
  ], ui.dialog.seat ? primary(ui.dialog.seat === "new" ? "Seat the player" : "Save") : h("button", { type: "button", class: "secondary", data: { do: "editSeat", seat: "new" } }, "Seat another player"));
}

function seat(player, form) {
  if (form) return h("li", { class: "seat-form", data: { key: `${player.id} form` } }, nameField(), look(form));
  return h("li", { data: { key: player.id } }, mark(player), h("span", {}, player.name), h("button", { type: "button", class: "quiet", data: { do: "editSeat", seat: player.id } }, "Change", h("span", { class: "unseen" }, ` ${player.name}`)));
}

function nameField() {
  return h("label", { class: "field" }, "Name", h("input", { class: "text", type: "text", name: "name", maxlength: 30 }));
}

function look(form) {
  return [
    h("fieldset", { class: "chips looks" }, h("legend", {}, "Colour"), COLOURS.map(({ name, colour }) => h("label", { class: "chip swatch", data: { key: colour } },
      h("input", { type: "radio", name: "colour", value: colour, "aria-label": name, data: { change: "look", part: "colour" }, checked: form.colour === colour }), h("span", {}, mark({ colour, shape: form.shape }))))),
    h("fieldset", { class: "chips looks" }, h("legend", {}, "Shape"), SHAPES.map((shape) => h("label", { class: "chip swatch", data: { key: shape } },
      h("input", { type: "radio", name: "shape", value: shape, "aria-label": shape, data: { change: "look", part: "shape" }, checked: form.shape === shape }), h("span", {}, mark({ colour: form.colour, shape }))))),
  ];
}

function settings(ui, state) {
  const set = { ...state.settings, ...ui.dialog.set }; // a choice stands while it is on its way
  const either = (title, key, options) => h("fieldset", { class: "chips" }, h("legend", {}, title), options.map(([value, text]) => h("label", { class: "chip", data: { key: `${key} ${value}` } },
    h("input", { type: "radio", name: key, value: String(value), data: { change: "setting", key }, checked: set[key] === value }), h("span", {}, text))));
  return shell("Rules of the house", "close", [h("div", { class: "half" },
    either("A damaged vehicle", "damage_table", [[true, "rolls on the damage table"], [false, "takes the standard result"]]),
    either("The D10 is thrown by", "damage_by", [["firer", "the firer"], ["target", "the target"]]),
    either("Plain dice come", "order", [["firer first", "firer first, then target"], ["together", "all together"]]),
    either("Dice of a player’s colour", "assign_by_colour", [[false, "are anybody’s"], [true, "are that player’s"]]),
    "cocked" in set && either("A leaning die", "cocked", [["ask", "is asked about"], ["reroll", "is thrown again"]]),
    "fair_edice" in set && either("Fair e-dice", "fair_edice", [[false, "off"], [true, "on: they commit to a seed, and every roll is checked when this is turned off"]]),
    either("Virtual dice", "virtual", [[false, "off"], [true, "on: the system may throw, marked VIRTUAL"]]),
    refusal(ui)), h("div", { class: "half" },
    h("h3", {}, "This browser"),
    h("fieldset", { class: "chips" }, h("legend", {}, "Theme"), THEMES.map((name) => h("label", { class: "chip", data: { key: name } }, h("input", { type: "radio", name: "theme", value: name, data: { change: "theme" }, checked: theme() === name }), h("span", {}, capital(name))))),
    h("fieldset", { class: "chips" }, h("legend", {}, "Single-key shortcuts"), [[true, "on"], [false, "off"]].map(([value, text]) => h("label", { class: "chip", data: { key: text } }, h("input", { type: "radio", name: "keys", value: String(value), data: { change: "keys" }, checked: ui.keys === value }), h("span", {}, capital(text))))),
    h("h3", {}, "Elsewhere"),
    h("button", { type: "button", class: "secondary", data: { do: "open", dialog: "fairness" } }, "Fairness: how the dice fell"),
    h("ul", { class: "links" },
      h("li", {}, h("a", { href: `/display/${state.table}`, target: "_blank", rel: "noopener" }, "Table display")),
      h("li", {}, h("a", { href: `/overlay/${state.table}`, target: "_blank", rel: "noopener" }, "Overlay for streaming")),
      h("li", {}, h("a", { href: `/api/v1/tables/${state.table}/export?format=csv` }, "Every die, as CSV")),
      h("li", {}, h("a", { href: "/docs" }, "Interface for scripts"))),
    h("p", { class: "soft" }, `Rules: ${state.rules.name}, version ${state.rules.version}.`)),
  ]);
}

function undo(ui) {
  return shell("Undo", "confirmUndo", [h("p", { class: "says-large" }, ui.dialog.preview ? sentence(`this takes back ${ui.dialog.preview.text}`) : "Looking what that would take back."), refusal(ui)], primary("Undo it", !ui.dialog.preview));
}

/** Whether a correction still says what was declared: there is nothing to ask the service then. */
export function isAsDeclared({ draft, firer, target }, attack, rules) {
  return firer === attack.firer && target === attack.target && saysDeclared(draft, attack.declared, rules.systems);
}

function correction(ui, state, rules) {
  const { draft, firer, target, preview } = ui.dialog;
  const who = (title, key, chosen) => h("fieldset", { class: "chips" }, h("legend", {}, title), state.players.map((player) => h("label", { class: "chip", data: { key: `${key} ${player.id}` } },
    h("input", { type: "radio", name: key, value: player.id, data: { change: "who", key }, checked: chosen === player.id }), h("span", {}, mark(player), player.name))));
  return shell("Correct the declaration", "confirmCorrection", [
    h("div", { class: "declare-form" }, firingTable(rules, draft, "correction")),
    h("div", { class: "who-row" }, who("Firer", "firer", firer), who("Target", "target", target)),
    h("p", { class: "says-large", role: "status" }, isAsDeclared(ui.dialog, state.attack, rules) ? `Declared: ${state.attack.title}. Choose what it should have been.` : preview?.text ?? ""), refusal(ui),
  ], primary("Correct it", !preview));
}

function misread(ui, state) {
  const slot = state.attack?.slots.find((each) => each.slot === ui.dialog.slot);
  if (!slot) return null;
  const player = state.players.find((each) => each.id === slot.player);
  return shell(`${player?.name ?? capital(slot.by)}’s ${SLOTS[slot.slot]?.word} die lies as ${slot.value}`, "confirmMisread", [
    h("fieldset", { class: "faces" }, h("legend", {}, "It really shows"), faces(slot.die).map((value) => h("label", { class: "face", data: { key: `face ${value}` } },
      h("input", { type: "radio", name: "value", value: String(value), "aria-label": String(value), data: { change: "face" }, checked: ui.dialog.value === value }), h("span", {}, dieSvg({ die: slot.die, value, colour: player?.colour }))))),
    reasonField(ui, "misread"), refusal(ui),
  ], primary("Correct the die", !ui.dialog.value || ui.dialog.value === slot.value || !ui.dialog.reason));
}

function reroll(ui, state) {
  const lying = (state.attack?.slots ?? []).filter((slot) => slot.state !== "owed");
  const names = new Map(state.players.map((player) => [player.id, player]));
  return shell("Throw dice again", "confirmReroll", [
    h("p", {}, "The dice you name are owed again; what they showed stays in the journal."),
    h("fieldset", { class: "faces wide" }, h("legend", {}, "Which"), lying.map((slot) => h("label", { class: "face", data: { key: slot.slot } },
      h("input", { type: "checkbox", name: "slot", value: slot.slot, data: { change: "slot" }, checked: ui.dialog.slots.has(slot.slot) }),
      h("span", {}, dieSvg({ die: slot.die, value: slot.value, state: slot.state, colour: names.get(slot.player)?.colour }), h("small", {}, `${names.get(slot.player)?.name ?? slot.by} ${SLOTS[slot.slot]?.word}`))))),
    reasonField(ui, "reroll"), refusal(ui),
  ], primary("Owe them again", ui.dialog.slots.size === 0 || !ui.dialog.reason));
}

function voiding(ui) {
  return shell("Void the attack", "confirmVoid", [h("p", {}, "It ends without an outcome; its dice stay in the journal."), reasonField(ui, "void"), refusal(ui)], primary("Void it", !ui.dialog.reason));
}

function keys() {
  const rows = [["a", "Again: the last attack once more"], ["u", "Undo, named before it is done"], ["0 to 9", "Type into the next die that is owed"], ["Enter", "Enter the typed dice"], ["?", "This list"]];
  return shell("Keys", "close", [h("dl", { class: "key-list" }, rows.map(([key, text]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, text)])), h("p", { class: "soft" }, "They can be turned off under Rules of the house.")]);
}
