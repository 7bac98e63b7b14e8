/** The e-dice as people speak of them: what each is called, how it is, and which of them is wanted now. */

import { capital, sentence } from "./words.js";

/** Every e-die that the table knows or has at a port, and every port at which none has answered. */
export function eDice(state) {
  const sources = (state.sources ?? []).filter((source) => source.detail?.kind === "e-die");
  const known = state.edice ?? [];
  const at = sources.map((source) => ({ source, uid: source.detail.uid ?? null, ...known.find((die) => die.uid === source.detail.uid) }));
  const away = known.filter((die) => die.player && !sources.some((source) => source.detail.uid === die.uid));
  const order = (die) => die.uid ?? `~${die.source.detail.port}`; // a die keeps its place, plugged in or not
  return [...at, ...away.map((die) => ({ ...die, source: null }))].sort((one, other) => (order(one) < order(other) ? -1 : 1));
}

export function dieName(die) {
  return die.name || (die.uid ? `e-die ${die.uid.slice(0, 6)}` : die.source.detail.port);
}

/** "connected", "lost since 14:03", "stalled since 14:03", "opened, not identified", "fault" */
export function standing({ source }) {
  if (!source) return "not seen since the service started";
  const since = source.detail.since_ms;
  return ["lost", "stalled"].includes(source.state) && since ? `${source.state} since ${new Date(since).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })}` : source.state;
}

/** The player whose die the page asks for, or null. */
export function pressing(state) {
  const asked = (state.sources ?? []).find((source) => source.detail?.kind === "pressing" && source.detail.table === state.table);
  return asked ? state.players.find((player) => player.id === asked.detail.player) ?? null : null;
}

/** The slots of the attack for which an e-die waits to be pressed. */
export function armedSlots(state) {
  return new Set((state.sources ?? []).filter((source) => source.detail?.table === state.table).map((source) => source.detail.armed).filter(Boolean));
}

/** What there is to say of each e-die's commitment to its seed, if anything: `{ key, name, text }`. */
export function pledged(state) {
  const { fair_edice: fair } = state.settings, pledges = state.pledges ?? [];
  const bare = fair ? eDice(state).filter((die) => die.uid && !pledges.some((pledge) => pledge.uid === die.uid)) : [];
  const name = (uid) => dieName((state.edice ?? []).find((die) => die.uid === uid) ?? { uid });
  return [
    ...pledges.map((pledge) => ({ key: `${pledge.uid} ${pledge.commitment} ${pledge.state}`, name: name(pledge.uid), text: saysOfPledge(pledge) })).filter(({ text }) => text),
    ...bare.map((die) => ({ key: `${die.uid} bare`, name: dieName(die), text: "has not committed, so it is asked for nothing" })),
  ];
}

function saysOfPledge({ state, commitment, text }) {
  if (state === "stands") return `has committed to ${commitment.slice(0, 8)}`;
  return text && `${state === "unanswered" ? "not verified" : state}. ${text}`;
}

/**
 * What is broken or waits for a person, with what to call it, worst first: a die of somebody who owes dice now. A die of nobody's that was
 * unplugged is no trouble.
 */
export function troubles(state) {
  const known = new Map((state.edice ?? []).map((die) => [die.uid, die]));
  const owing = new Set((state.attack?.slots ?? []).filter((slot) => slot.state === "owed").map((slot) => slot.player));
  const named = (state.sources ?? []).filter((source) => !source.ok || source.state === "asking").map((source) => ({ source, die: known.get(source.detail?.uid) }));
  const real = named.filter(({ source, die }) => source.detail?.plugged !== false || die?.player);
  return real.map(({ source, die }) => ({ key: source.name, urgent: owing.has(die?.player), name: troubled(state, source, die), text: saysOf(source) }))
    .sort((one, other) => Number(other.urgent) - Number(one.urgent));
}

function troubled(state, source, die) {
  const player = state.players.find((each) => each.id === die?.player);
  const name = die?.name || source.name;
  return player ? `${player.name}’s ${name}` : capital(name);
}

function saysOf(source) {
  const text = sentence(source.reason || source.state);
  return ["lost", "stalled"].includes(source.state) && source.detail?.since_ms ? `${capital(standing({ source }))}. ${text}` : text;
}
