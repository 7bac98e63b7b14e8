/**
 * What a screen reader hears: each attack, each die and each outcome once, in one sentence each; nothing on arrival,
 * nothing twice. Put `role="log"` on the element.
 */

import { dieName, pledged, pressing } from "./edice.js";
import { awaited, SLOTS, sentence, source, unconfirmed, verdict } from "./words.js";

const KEPT = 12; // paragraphs left in the log; a reader speaks each as it is added

export class Announcer {
  constructor(log) {
    this.log = log;
    this.heard = null;
  }

  /** Say what `state` has that was not there before; the first state is only taken note of. */
  hear(state) {
    const facts = factsOf(state);
    const news = this.heard ? [...facts].filter(([key]) => !this.heard.has(key)).map(([, text]) => text) : [];
    this.heard = new Map([...facts]);
    this.say(news.join(" "));
  }

  say(text) {
    if (!text) return;
    const line = document.createElement("p");
    line.textContent = text;
    this.log.append(line);
    while (this.log.children.length > KEPT) this.log.firstElementChild.remove();
  }
}

/** What is true of a table, each fact under a key that changes only when it has to be said again. */
function factsOf(state) {
  const facts = new Map();
  const { attack } = state;
  if (attack) attackFacts(facts, attack, new Map(state.players.map((player) => [player.id, player.name])));
  for (const die of state.edice ?? []) facts.set(`edie ${die.uid} ${die.player} ${die.name}`, sentence(`${dieName(die)} is ${state.players.find((player) => player.id === die.player)?.name ?? "nobody"}’s`));
  for (const each of pledged(state)) facts.set(`pledge ${each.key}`, sentence(`${each.name} ${each.text}`));
  const asked = pressing(state);
  if (asked) facts.set(`press ${asked.id}`, `Press ${asked.name}’s die.`);
  for (const each of state.unassigned ?? []) facts.set(`unassigned ${each.reading}`, sentence(`Not placed: ${each.why}`));
  return facts;
}

function attackFacts(facts, attack, names) {
  facts.set(`attack ${attack.id} ${attack.title}`, sentence(`${names.get(attack.firer) ?? "The firer"} fires at ${names.get(attack.target) ?? "the target"}: ${attack.title}. ${attack.owes.join("; ")}`));
  for (const slot of attack.slots) slotFact(facts, attack, slot, names.get(slot.player) ?? slot.by);
  if (attack.state === "damage") facts.set(`damaged ${attack.id}`, sentence(`Damaged. ${attack.owes.join("; ")}`.trim()));
  if (unconfirmed(attack)) facts.set(`reopened ${attack.id}`, awaited(attack).map(sentence).join(" "));
  if (attack.state === "void") facts.set(`void ${attack.id}`, "The attack is void.");
  if (attack.state === "resolved" && attack.outcome) {
    const { word, means } = verdict(attack.outcome);
    facts.set(`outcome ${attack.id} ${attack.outcome.explanation}`, `${word.replace("!", "")}${means ? `, ${means}` : ""}. ${sentence(attack.outcome.explanation)}`);
  }
}

function slotFact(facts, attack, slot, who) {
  const key = `${attack.id} ${slot.slot} ${slot.state} ${slot.reading} ${slot.value}`;
  if (slot.state === "filled") facts.set(key, `${who} ${SLOTS[slot.slot]?.word ?? slot.slot}, ${slot.die}: ${slot.value}, ${source(slot).toLowerCase()}.`);
  if (slot.state === "asking") facts.set(key, sentence(slot.question?.text ?? `${who}'s ${slot.die} cannot be read`));
}
