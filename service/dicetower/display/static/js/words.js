/** What the state says, in the words that stand on screen. */

import { h } from "./dom.js";

export const SLOTS = {
  "firer size": { word: "size", side: "firer", pair: 0 },
  "firer effectiveness": { word: "effectiveness", side: "firer", pair: 1 },
  "target armour": { word: "armour", side: "target", pair: 0 },
  "target effectiveness": { word: "effectiveness", side: "target", pair: 1 },
  damage: { word: "damage", side: null, pair: null },
};

export const SOURCES = { camera: "camera", edie: "e-die", typed: "typed", virtual: "VIRTUAL", tape: "tape" };

const FINALS = {
  undamaged: { word: "Undamaged", means: "" },
  damaged: { word: "Damaged", means: "" },
  systems_down: { word: "Systems down", means: "cannot fire" },
  mobility: { word: "Mobility", means: "cannot move" },
  destroyed: { word: "Destroyed", means: "" },
};

/** The word that fills the screen, what it means for the vehicle, and the mark's fate. */
export function verdict(outcome) {
  const found = FINALS[outcome.final] ?? { word: outcome.final, means: "" };
  const fate = { undamaged: "whole", destroyed: "destroyed" }[outcome.final] ?? "damaged";
  if (outcome.damage === "escape") return { word: "Escape!", means: "undamaged", fate };
  if (outcome.damage === "destroyed") return { word: "Boom!", means: "destroyed", fate };
  return { ...found, fate };
}

/** A sentence starts with a capital and ends with a full stop. */
export function sentence(text) {
  const trimmed = (text ?? "").trim();
  if (!trimmed) return "";
  return trimmed[0].toUpperCase() + trimmed.slice(1) + (/[.!?…]$/.test(trimmed) ? "" : ".");
}

const LONGEST_WORD = 14; // "effectiveness" has thirteen letters: only a name's word has more

/** The sentence with each word that may be broken anywhere, a name without a space, in a span of its own. */
export function breaking(text) {
  return text.split(/(\S+)/).map((part) => (part.length > LONGEST_WORD ? h("span", { class: "long-word" }, part) : part));
}

export function capital(text) {
  return text ? text[0].toUpperCase() + text.slice(1) : "";
}

/** "77/256" -> 0.30078125 */
export function share(fraction) {
  const [top, bottom = "1"] = String(fraction).split("/");
  return Number(top) / Number(bottom);
}

/** "77/256" -> "30.1 %"; a whole number of percent has no decimals. */
export function percent(fraction) {
  const value = share(fraction) * 100;
  const rounded = value.toFixed(1).replace(/\.0$/, "");
  return `${rounded} %`.replace(" ", "\u00a0");
}

/** "75%" -> "75 %"; "ineffective" stays. */
export function printed(text) {
  return String(text ?? "").replace(/\s*%/, "\u00a0%");
}

export function source(slot) {
  const name = SOURCES[slot.source] ?? slot.source ?? "";
  if (!name) return "";
  const said = [name, slot.by_person && slot.source !== "typed" && "confirmed", slot.cocked && "leaning"];
  return said.filter(Boolean).join(", ");
}

/** "3 min 12 s" */
export function age(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}

export const ODDS_WORDS = {
  undamaged: "undamaged",
  damaged: "damaged",
  systems_down: "systems down",
  mobility: "mobility",
  destroyed: "destroyed",
};

/** Whether an attack that was opened again has all its dice and waits for a person. */
export function unconfirmed(attack) {
  return attack.reopened && ["throwing", "damage"].includes(attack.state) && attack.slots.every((slot) => slot.state === "filled");
}

/** What the attack waits for now, a sentence each: dice of somebody's, or somebody's word. */
export function awaited(attack) {
  return unconfirmed(attack) ? ["Opened again: nothing counts yet", "Confirm these dice on the control page, or put them right"] : attack.owes ?? [];
}

/** Where one player owes two dice of one type, how the tray tells them apart, said before the throw. */
export function twins(attack, players) {
  return ["firer", "target"].flatMap((side) => {
    const [first, second] = attack.slots.filter((slot) => slot.by === side && slot.slot !== "damage");
    if (!second || first.die !== second.die || (first.state !== "owed" && second.state !== "owed")) return [];
    const [one, other] = [SLOTS[first.slot].word, SLOTS[second.slot].word];
    return [`${players.get(first.player)?.name ?? capital(side)}’s two ${first.die}: left in the tray is ${one}, right is ${other}; one at a time, ${one} first.`];
  });
}

/** Where the picture of a doubtful die lies. */
export function evidenceUrl(name) {
  return `/api/v1/evidence/${encodeURIComponent(name)}`;
}
