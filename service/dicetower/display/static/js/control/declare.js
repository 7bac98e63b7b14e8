/** The firing table: any attack in four presses, weapon with its condition, size, target, who fires at whom. */

import { dieSvg } from "../dice.js";
import { h } from "../dom.js";
import { mark } from "../marks.js";
import { oddsBar } from "../oddsbar.js";
import { capital, printed, sentence, SLOTS } from "../words.js";
import { blocksOf, choicesOf, COVER_WORDS } from "./weapons.js";

/** `group` keeps the radio buttons of two such forms apart. */
export function firingTable(rules, draft, group) {
  const system = rules.systems.find((each) => each.system === draft.system);
  return [
    h("fieldset", { class: "weapons" }, h("legend", {}, "Weapon"),
      blocksOf(rules.systems).map((block) => h("div", { class: "block", data: { key: block.key, columns: block.columns.length } },
        h("h3", {}, block.title),
        block.systems.map((each) => systemRow(each, draft, group))))),
    h("div", { class: "target-side" },
      ...furtherChoices(system, draft, group),
      h("fieldset", { class: "chips" }, h("legend", {}, capital(system.size_label)),
        system.sizes.map((size) => chip({ group, name: "size", value: size, checked: draft.size === size, die: rules.size_dice?.[size - 1] }, String(size)))),
      system.armour.length > 0 && h("fieldset", { class: "chips" }, h("legend", {}, "Target: vehicle, armour"),
        system.armour.map((level) => chip({ group, name: "target", value: `armour ${level}`, checked: draft.kind === "vehicle" && draft.armour === level, die: rules.armour_dice?.[level - 1] }, String(level)))),
      system.infantry.length > 0 && h("fieldset", { class: "chips teams" }, h("legend", {}, "Target: infantry"),
        system.infantry.map((team) => chip({ group, name: "target", value: `infantry ${team.id}`, checked: draft.kind === "infantry" && draft.infantry === team.id, die: team.die }, team.name)))),
  ];
}

function systemRow(system, draft, group) {
  const [first] = choicesOf(system);
  const values = first?.values ?? ["any"];
  return h("div", { class: "weapon", role: "group", "aria-label": capital(system.label), data: { key: system.system } },
    h("span", { class: "system", "aria-hidden": "true" }, capital(system.label)),
    values.map((value) => chip({
      group, name: "weapon", value: `${system.system} ${first?.key ?? ""} ${value}`,
      checked: draft.system === system.system && (!first || draft[first.key] === value),
      label: `${capital(system.label)}, ${COVER_WORDS[value] ?? value}`,
    }, capital(value))));
}

/** A house rule may give a system two kinds of choice; the second stands here. */
function furtherChoices(system, draft, group) {
  return choicesOf(system).slice(1).map(({ key, title, values }) => h("fieldset", { class: "chips", data: { key } }, h("legend", {}, title),
    values.map((value) => chip({ group, name: key, value, checked: draft[key] === value }, capital(COVER_WORDS[value] ?? value)))));
}

function chip({ group, name, value, checked, die = null, label = null }, text) {
  return h("label", { class: "chip", data: { key: `${name} ${value}` } },
    h("input", { type: "radio", name: `${group} ${name}`, "aria-label": label, value: String(value), data: { change: "choose", choice: name, group }, checked }),
    h("span", {}, die && dieSvg({ die, state: "owed", bare: true }), h("span", {}, text)));
}

/** What the draft would ask for, its printed effectiveness, and the exact odds: two things with two names. */
export function preview(odds, refusal) {
  if (refusal) return h("p", { class: "refusal", role: "alert" }, refusal);
  if (!odds) return h("p", { class: "soft" }, "Working out the odds.");
  return h("div", { class: "preview" },
    h("p", { class: "plan" }, odds.plan.map((slot) => h("span", { class: "planned" }, dieSvg({ die: slot.die, state: "owed" }), h("span", {}, `${slot.by === "firer" ? "firer" : "target"} ${SLOTS[slot.slot]?.word ?? slot.slot}`)))),
    h("p", { class: "printed" }, "Printed effectiveness ", h("b", {}, printed(odds.printed)), h("span", { class: "soft" }, " (the chit draw’s, not odds)")),
    h("div", { class: "figures" }, h("h3", {}, "Exact odds, four dice"), oddsBar(odds.odds, "Exact odds, four dice", { fractions: true })),
    odds.after_table && h("div", { class: "figures" }, h("h3", {}, "Exact odds, after the D10"), oddsBar(odds.after_table, "Exact odds, after the D10", { fractions: true })),
    odds.notes.length > 0 && h("p", { class: "notes" }, odds.notes.map(sentence).join(" ")));
}

/** One button for each pair: the last press says who fires at whom and declares. */
export function fireButtons(players, last) {
  const pairs = players.flatMap((firer) => players.filter((target) => target.id !== firer.id).map((target) => ({ firer, target })));
  return h("div", { class: "fire", data: { many: pairs.length > 2 ? "yes" : null } }, pairs.map(({ firer, target }) => {
    const usual = last ? last.firer === firer.id && last.target === target.id : pairs[0].firer.id === firer.id && pairs[0].target.id === target.id;
    return h("button", { type: "button", class: usual ? "primary" : "secondary", data: { do: "declare", firer: firer.id, target: target.id, key: `${firer.id} ${target.id}` } },
      mark(firer), h("span", {}, `${firer.name} fires at ${target.name}`), mark(target));
  }));
}
