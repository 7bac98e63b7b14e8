/** The dialog of the fairness figures: how each player's dice fell, face by face, and what that can say. */

import { h } from "../dom.js";
import { mark } from "../marks.js";
import { sentence, SOURCES } from "../words.js";
import { refusal, shell } from "./shell.js";

export function fairness(ui, state) {
  const { figures } = ui.dialog;
  return shell("Fairness", "close", [
    h("p", {}, "Every die that was thrown counts, re-rolled and dismissed ones too."), refusal(ui),
    !figures ? h("p", { role: "status" }, ui.dialog.refusal ? "" : "Counting.") : figures.dice.length === 0 ? h("p", {}, "No dice have been thrown at this table yet.") : [
      h("ul", { class: "fell" }, figures.dice.map((each) => dice(each, state))),
      h("h3", {}, "Outcomes"),
      h("ul", { class: "fell" }, figures.outcomes.map((each) => h("li", { data: { key: each.outcome } }, h("p", {}, sentence(each.says))))),
    ],
  ]);
}

function dice({ player, source, die, rolls, counts, says }, state) {
  const seat = state.players.find((each) => each.name === player);
  const most = Math.max(...counts, 1);
  return h("li", { data: { key: `${player} ${source} ${die}` } },
    h("b", {}, seat && mark(seat), `${player ?? "Nobody"}’s ${die}, ${SOURCES[source] ?? source}: ${rolls} ${rolls === 1 ? "roll" : "rolls"}`),
    h("div", { class: "columns", role: "img", "aria-label": counts.map((count, face) => `${face + 1}: ${count}`).join(", ") },
      counts.map((count, face) => h("span", { vars: { share: count / most } }, String(face + 1)))),
    h("p", {}, sentence(says)));
}
