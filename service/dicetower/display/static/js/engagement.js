/**
 * An attack drawn as two plotted lines from firer to target, size against armour and effectiveness against
 * effectiveness. A line that the target's die beats is stopped; one that it does not beat goes through.
 */

import { dieSvg } from "./dice.js";
import { h } from "./dom.js";
import { SLOTS, source } from "./words.js";

/**
 * `inside(slot)` may give what stands in an owed die instead of its type (a field to type in); `press(slot, content,
 * field)` may wrap the die in a button. The dice come in the plan's order, whatever their place on screen.
 */
export function engagement(attack, players, { inside = null, press = null } = {}) {
  const draw = { attack, players, inside, press };
  const damage = attack.slots.find((slot) => slot.slot === "damage");
  const [first, second] = [0, 1].map((pair) => ["firer", "target"].map((side) => attack.slots.find((slot) => SLOTS[slot.slot]?.side === side && SLOTS[slot.slot].pair === pair)));
  return h("div", { class: "engagement", data: { damage: damage ? "yes" : null } },
    h("div", { class: "lanes" },
      throwOf(draw, first[0]), throwOf(draw, second[0]),
      track(draw, first), track(draw, second),
      throwOf(draw, first[1]), throwOf(draw, second[1])),
    damage && h("div", { class: "damage" }, throwOf(draw, damage)));
}

function track(draw, [firer, target]) {
  const result = resultOf(firer, target);
  return h("div", { class: "track", data: { result, row: SLOTS[firer.slot].pair + 1 }, vars: { firer: colourOf(draw, firer), target: colourOf(draw, target) } },
    h("span", { class: "verdict" }, verdictOf(firer, target, result)),
    h("span", { class: "shot", "aria-hidden": "true" }));
}

/** "open" until both dice lie; then by the rule that the target wins only when strictly higher. */
export function resultOf(firer, target) {
  if (firer.value === null || target.value === null) return "open";
  return target.value > firer.value ? "stopped" : "through";
}

function verdictOf(firer, target, result) {
  if (result === "open") return "";
  if (firer.value === target.value) return `${firer.value} ties ${target.value}: through`;
  return result === "stopped" ? `${target.value} beats ${firer.value}: stopped` : `${firer.value} beats ${target.value}: through`;
}

/** One die with its name, who throws it and where it was read. */
function throwOf(draw, slot) {
  const player = draw.players.get(slot.player);
  const word = SLOTS[slot.slot]?.word ?? slot.slot;
  const { side, pair } = SLOTS[slot.slot] ?? { side: null, pair: null };
  const field = slot.state === "owed" && draw.inside ? draw.inside(slot) : null;
  const die = dieSvg({
    die: slot.die, value: slot.value, state: slot.state, colour: player?.colour, virtual: slot.source === "virtual", bare: Boolean(field),
    label: field || draw.press ? null : label(player?.name ?? slot.by, word, slot),
  });
  return h("div", { class: `throw of-${side ?? slot.by}`, data: { state: slot.state, slot: slot.slot, armed: slot.armed ? "yes" : null, row: pair === null ? null : pair + 1, turn: draw.attack.turn === slot.by ? "now" : null, key: `throw ${slot.slot}` } },
    draw.press ? draw.press(slot, h("span", { class: "die-box" }, die, field), field) : h("span", { class: "die-box" }, die, field),
    h("span", { class: "tag" },
      h("b", {}, word), " ", h("span", { class: "type" }, slot.state === "owed" && !field ? "" : slot.die), " ",
      h("span", { class: "source", data: { source: slot.source } }, slot.state === "owed" ? (slot.armed ? "press your die" : "") : slot.state === "asking" ? "asks" : source(slot))));
}

function label(who, word, slot) {
  const state = { owed: slot.armed ? "owed, press your die" : "owed", asking: "not sure, asking", filled: `${slot.value}, ${source(slot)}` }[slot.state];
  return `${who} ${word}, ${slot.die}: ${state}`;
}

function colourOf(draw, slot) {
  return draw.players.get(slot.player)?.colour ?? "#8a979b";
}
