/** What can be done with the open attack besides typing, and what has been thrown before. */

import { dieSvg } from "../dice.js";
import { h } from "../dom.js";
import { mark } from "../marks.js";
import { oddsBar } from "../oddsbar.js";
import { capital, printed, verdict } from "../words.js";

export function tools(state, ui) {
  const { attack, settings } = state;
  const filled = attack.slots.some((slot) => slot.state !== "owed");
  return h("section", { class: "tools", "aria-label": "This attack", data: { key: "tools" } },
    h("div", { class: "tray" },
      h("h2", {}, "Read the tray"),
      h("label", { class: "upload" },
        h("input", { type: "file", accept: "image/*", data: { change: "photo" }, disabled: ui.busy === "photo" }),
        h("span", {}, ui.busy === "photo" ? "Reading the photograph" : "Photograph of the tray")),
      h("label", { class: "whose" }, "Whose dice ",
        h("select", { data: { change: "whose" } }, h("option", { value: "", selected: ui.whose === "" }, "whoever’s turn it is"),
          state.players.filter((player) => player.id === attack.firer || player.id === attack.target).map((player) => h("option", { value: player.id, selected: ui.whose === player.id }, player.name)))),
      cameraLink(state),
      settings.virtual && h("button", { type: "button", class: "secondary", data: { do: "virtual" } }, "Let the system throw (virtual)")),
    h("div", { class: "amend" },
      h("h2", {}, "Put right"),
      h("button", { type: "button", class: "secondary", data: { do: "open", dialog: "correction" } }, "Correct the declaration"),
      filled && h("button", { type: "button", class: "secondary", data: { do: "open", dialog: "reroll" } }, "Throw dice again"),
      h("button", { type: "button", class: "secondary", data: { do: "open", dialog: "void" } }, "Void the attack"),
      undoButton(state)),
    h("div", { class: "chances" },
      h("h2", {}, "Chances"),
      h("p", { class: "printed" }, "Printed effectiveness ", h("b", {}, printed(attack.printed)), h("span", { class: "soft" }, " (the chit draw’s, not odds)")),
      h("h3", {}, "Exact odds, four dice"), oddsBar(attack.odds, "Exact odds, four dice", { fractions: true }),
      attack.after_table && settings.damage_table && [h("h3", {}, "Exact odds, after the D10"), oddsBar(attack.after_table, "Exact odds, after the D10", { fractions: true })]));
}

/** Where a live camera is looked at, or set up where there is none yet. */
function cameraLink(state) {
  const live = (state.sources ?? []).some((source) => source.detail?.kind === "camera");
  return h("a", { class: "quiet", href: live ? "/camera" : "/setup" }, live ? "Look through the camera" : "Set up a live camera");
}

export function undoButton(state) {
  return state.undo && h("button", { type: "button", class: "secondary undo", data: { do: "undo" } }, h("span", {}, `Undo ${state.undo}`), h("kbd", {}, "u"));
}

/** The one press that a long evening wants: the same weapon fires at the same target. */
export function againRow(state) {
  return h("div", { class: "again-row" },
    state.attack && h("button", { type: "button", class: "primary again", data: { do: "again" } }, h("span", {}, "Again"), h("kbd", {}, "a")),
    undoButton(state));
}

export function lastThrows(state) {
  const past = (state.last ?? []).filter((each) => each.id !== state.attack?.id || state.attack.state === "throwing");
  if (past.length === 0) return null;
  const players = new Map(state.players.map((player) => [player.id, player]));
  return h("section", { class: "last", "aria-labelledby": "last-title" }, h("h2", { id: "last-title" }, "Last throws"),
    h("ol", {}, past.map((attack) => h("li", { data: { key: attack.id } },
      h("span", { class: "past-title" }, mark(players.get(attack.firer)), h("span", {}, capital(attack.title)), mark(players.get(attack.target))),
      h("span", { class: "past-dice" }, attack.slots.filter((slot) => slot.value !== null).map((slot) => dieSvg({ die: slot.die, value: slot.value, colour: players.get(slot.player)?.colour, virtual: slot.source === "virtual", label: `${slot.slot} ${slot.die}: ${slot.value}` }))),
      h("b", {}, attack.state === "void" || !attack.outcome ? "Void" : verdict(attack.outcome).word)))));
}
