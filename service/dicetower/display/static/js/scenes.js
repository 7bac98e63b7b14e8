/**
 * Which attack stands on a display. A result keeps the screen for its full time even when the next attack is declared
 * or resolved at once; the next result then has its own full time. Pure: the clock is handed in.
 */

export const HOLD_MS = 6000;
const WAITING_MAX = 3; // results waiting for the screen; older ones are in "last throws"

export class Scenes {
  constructor(holdMs = HOLD_MS) {
    this.holdMs = holdMs;
    this.reset();
  }

  /** Start over from the present: after a break nothing old is played. */
  reset() {
    this.shown = null; // {attack, since}
    this.waiting = [];
    this.seen = null; // the greatest number among the results known
  }

  /** The attack to show at `now` (ms); `held`: it is not the table's present one; `until`: when to ask again. */
  at(state, now) {
    const standing = results(state);
    if (this.shown === null) this.begin(state, standing, now);
    this.queue(standing);
    if (!this.holds(standing, now)) this.turn(state, now);
    const { attack, since } = this.shown;
    const waits = this.waits(now);
    return { attack, held: (attack?.id ?? null) !== (state.attack?.id ?? null), until: waits ? since + this.holdMs : null };
  }

  begin(state, standing, now) {
    this.shown = { attack: state.attack ?? null, since: now, arrived: true }; // it had its time before anybody looked
    this.seen = greatest(standing);
  }

  /** New results line up, each once; those undone since leave the line. */
  queue(standing) {
    const fresh = standing.filter((each) => each.number > this.seen);
    this.waiting = [...this.waiting.filter((each) => stands(each, standing)), ...fresh].slice(-WAITING_MAX);
    this.seen = greatest(standing);
  }

  /** Whether the shown result still stands and has not had its time. */
  holds(standing, now) {
    return this.waits(now) && stands(this.shown.attack, standing);
  }

  waits(now) {
    const { attack, since, arrived } = this.shown;
    return attack?.state === "resolved" && !arrived && now - since < this.holdMs;
  }

  turn(state, now) {
    const next = this.waiting.shift() ?? state.attack ?? null;
    const same = signature(next) === signature(this.shown.attack);
    this.shown = { attack: next, since: same ? this.shown.since : now, arrived: same && this.shown.arrived };
  }
}

/** Resolved attacks, oldest first, the present one among them. */
function results(state) {
  const past = (state.last ?? []).filter((each) => each.id !== state.attack?.id);
  return [...past].reverse().concat(state.attack ?? []).filter((each) => each.state === "resolved");
}

function greatest(standing) {
  return Math.max(0, ...standing.map((each) => each.number));
}

function stands(attack, standing) {
  return standing.some((each) => signature(each) === signature(attack));
}

function signature(attack) {
  return attack ? [attack.id, attack.state, attack.outcome?.final, attack.outcome?.explanation].join(" ") : "";
}
