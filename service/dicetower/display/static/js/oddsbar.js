/** Exact odds as one bar: outlined what leaves the target whole, hatched what damages it, solid what destroys it. */

import { h } from "./dom.js";
import { ODDS_WORDS, percent, share } from "./words.js";

const FATES = { undamaged: "whole", damaged: "damaged", systems_down: "damaged", mobility: "damaged", destroyed: "destroyed" };

/** `odds`: {"undamaged": "77/256", ...}; what cannot happen is left out; with `fractions` each share is also written so. */
export function oddsBar(odds, label, { fractions = false } = {}) {
  const parts = Object.entries(odds).filter(([, fraction]) => share(fraction) > 0).map(([name, fraction]) => ({ name, fraction, word: ODDS_WORDS[name] ?? name, fate: FATES[name] ?? "damaged" }));
  return h("dl", { class: "odds", "aria-label": label }, parts.map((part) =>
    h("div", { class: "odd", data: { fate: part.fate }, vars: { share: share(part.fraction) } },
      h("dt", {}, part.word),
      h("dd", {}, percent(part.fraction), fractions && h("span", { class: "fraction" }, " ", part.fraction)))));
}
