/** Dice that ask, and dice that nobody owed: each with its picture, answered by one press. */

import { dieSvg } from "../dice.js";
import { h } from "../dom.js";
import { evidenceUrl, sentence, SLOTS } from "../words.js";
import { faces } from "./typing.js";

const LIKELY_MAX = 4;
const DICE = ["D4", "D6", "D8", "D10", "D12", "D20"];

/** Questions not put off; closing one commits nothing, and its die goes on asking. */
export function questions(state, ui) {
  const asking = (state.attack?.slots ?? []).filter((slot) => slot.state === "asking" && slot.question && !ui.later.has(slot.reading));
  return asking.map((slot) => question(slot, state.players.find((player) => player.id === slot.player), ui));
}

function question(slot, player, ui) {
  const { text, die, candidates, evidence, reading } = slot.question;
  const type = die ?? slot.die;
  const likely = candidates.slice(0, LIKELY_MAX).map(([value]) => value);
  const others = faces(type).filter((value) => !likely.includes(value));
  const wide = ui.wide.has(reading) || likely.length === 0;
  return h("section", { class: "question", role: "group", "aria-label": text, data: { key: `question ${reading}` } },
    evidence && h("img", { src: evidenceUrl(evidence), alt: `The ${type} as the camera saw it` }),
    h("div", { class: "asks" },
      h("h2", {}, text),
      h("div", { class: "answers" },
        likely.map((value) => answer(reading, type, value, player, true)),
        wide && others.map((value) => answer(reading, type, value, player, false))),
      h("div", { class: "quiet-row" },
        !wide && h("button", { type: "button", class: "quiet", data: { do: "wide", reading } }, "Another value"),
        h("button", { type: "button", class: "quiet", data: { do: "later", reading } }, "Not now"))));
}

function answer(reading, die, value, player, large) {
  return h("button", { type: "button", class: large ? "answer" : "answer small", "aria-label": `It shows ${value}`, data: { do: "answer", reading, die, value, key: `answer ${value}` } },
    dieSvg({ die, value, colour: player?.colour ?? "#d9e0dc" }));
}

export function unassigned(state, ui) {
  const dice = state.unassigned ?? [];
  if (dice.length === 0) return null;
  return h("section", { class: "loose", "aria-labelledby": "loose-title", data: { key: "loose" } },
    h("div", { class: "loose-head" }, h("h2", { id: "loose-title" }, dice.length === 1 ? "One die not placed" : `${dice.length} dice not placed`),
      dice.length > 1 && h("button", { type: "button", class: "quiet", data: { do: "dismissAll" } }, "Dismiss them all")),
    h("ul", {}, dice.map((each) => loose(each, state, ui))));
}

function loose(each, state, ui) {
  return h("li", { data: { key: each.reading } },
    each.evidence ? h("img", { src: evidenceUrl(each.evidence), alt: `The ${each.die ?? "die"} as the camera saw it` }) : dieSvg({ die: each.die, value: each.value, state: each.value === null ? "asking" : "filled", colour: "#d9e0dc", label: `${each.die ?? "a die"}: ${each.value ?? "not read"}` }),
    h("p", {}, each.value !== null && h("b", {}, `${each.die}: ${each.value}. `), sentence(each.why)),
    h("div", { class: "quiet-row" }, each.question ? say(each, ui) : places(each, state), h("button", { type: "button", class: "quiet", data: { do: "dismiss", reading: each.reading } }, "Dismiss")));
}

/** What it shows, its type first where that could not be told. */
function say(each, ui) {
  const die = each.die ?? ui.types.get(each.reading);
  if (!die) return h("div", { class: "answers", role: "group", "aria-label": "Which type is it" }, DICE.map((type) => h("button", { type: "button", class: "answer small", "aria-label": `It is a ${type}`, data: { do: "type-of", reading: each.reading, die: type, key: type } }, dieSvg({ die: type, state: "owed" }))));
  const likely = each.die ? each.question.candidates.slice(0, LIKELY_MAX).map(([value]) => value) : [];
  const wide = likely.length === 0 || ui.wide.has(each.reading);
  return h("div", { class: "answers" }, (wide ? faces(die) : likely).map((value) => answer(each.reading, die, value, null, false)),
    !wide && h("button", { type: "button", class: "quiet", data: { do: "wide", reading: each.reading } }, "Another value"));
}

function places(each, state) {
  const slots = (state.attack?.slots ?? []).filter((slot) => (each.fits ?? []).includes(slot.slot));
  const names = new Map(state.players.map((player) => [player.id, player.name]));
  return slots.map((slot) => h("button", { type: "button", class: "secondary", data: { do: "place", reading: each.reading, slot: slot.slot, key: slot.slot } }, `It is ${names.get(slot.player)}’s ${SLOTS[slot.slot]?.word}`));
}
