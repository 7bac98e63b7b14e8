/** What both camera pages draw: the head, the state, the picture with its dice, what is wrong with it. */

import { dieSvg } from "../dice.js";
import { h } from "../dom.js";
import { capital, sentence } from "../words.js";

const STATES = { none: "No camera", opening: "Opening", watching: "Watching", motion: "Motion", settled: "Settled", stalled: "Stalled", lost: "Lost" };

export function head(title, here) {
  const links = [["/", "Table"], ["/camera", "Camera"], ["/setup", "Set up"], ["/enrol", "Own dice"]];
  return h("header", { class: "top" }, h("h1", {}, title),
    h("nav", { "aria-label": "Pages" }, links.map(([href, name]) => h("a", { class: "quiet", href, "aria-current": href === here ? "page" : null }, name))));
}

/** Stalled, lost, or a server that is gone: across the page, as on the display. */
export function trouble(state, fault) {
  if (fault) return h("div", { class: "banner", role: "status", data: { key: "banner" } }, h("b", {}, "Cut off. "), fault.message);
  if (!isGone(state)) return null;
  return h("div", { class: "banner", role: "status", data: { key: "banner" } }, h("b", {}, `Camera ${state.state}${since(state)}. `), sentence(state.reason));
}

function isGone(state) {
  return ["stalled", "lost"].includes(state?.state);
}

/** " since 14:05:09", when the newest frame came; nothing where none ever did. */
export function since(state) {
  if (state.age_ms === null) return "";
  const at = new Date(Date.now() - state.age_ms);
  return ` since ${at.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit" })}`;
}

export function stateName(state) {
  return STATES[state.state] ?? capital(state.state);
}

/** What stands beside the state under a banner: of a camera that is gone nothing more, of none `choose`: how to have one. */
export function unsaid(state, choose) {
  if (state.state === "none") return choose;
  return isGone(state) ? "" : sentence(state.reason);
}

/** The state in one line: its name, what it is waiting for, and the figures behind it. */
export function stateLine(state, reason = sentence(state.reason)) {
  const figures = [state.source, state.size && `${state.size[0]} × ${state.size[1]}`, state.rate > 0 && pace(Math.round(state.rate)), state.delay_ms !== null && `last throw read in ${state.delay_ms} ms`];
  return h("div", { class: "state-line", data: { state: state.state, key: "state" } },
    h("p", { class: "state-name" }, h("span", { class: "state-mark", "aria-hidden": "true" }), stateName(state)),
    h("p", { class: "state-reason" }, reason),
    h("p", { class: "figures-line soft" }, figures.filter(Boolean).join(" · ")));
}

function pace(rate) {
  return rate <= 1 ? "one picture a second" : `${rate} pictures a second`;
}

/** The picture with whatever lies over it. `url` null: none has come yet. */
export function view(url, alt, over, { ratio = 16 / 9, stale = false, waiting = "The picture appears here as soon as the camera sends one." } = {}) {
  return h("figure", { class: "view", data: { key: "view", stale: stale ? "yes" : null } },
    h("div", { class: "frame", vars: { ratio: ratio.toFixed(3) } }, url ? h("img", { src: url, alt, data: { key: "picture" } }) : h("p", { class: "no-picture", data: { key: "none" } }, waiting), over));
}

/** Width over height of all that the camera sees, and of the tray in it as the players see it. */
export function ratioOf(state, whole) {
  const [width, height] = state.size ?? [16, 9];
  if (whole) return width / height;
  const spread = (n) => Math.max(...state.setup.corners.map((at) => at[n])) - Math.min(...state.setup.corners.map((at) => at[n]));
  const ratio = (width * spread(0)) / (height * spread(1));
  return state.setup.turn % 2 ? 1 / ratio : ratio;
}

/** Each die's outline and, over it, its type and value; a doubtful one is broken, yellow and has a question mark. */
export function outlines(dice) {
  const points = (die) => die.outline.map(([x, y]) => `${(x * 100).toFixed(2)},${(y * 100).toFixed(2)}`).join(" ");
  return [
    h("svg", { class: "outlines", viewBox: "0 0 100 100", preserveAspectRatio: "none", "aria-hidden": "true", data: { key: "outlines" } },
      dice.flatMap((die) => ["casing", "line"].map((part) => h("polygon", { class: part, points: points(die), data: { sure: die.status === "sure" ? "yes" : "no" } })))),
    dice.map((die) => h("span", { class: "die-tag", "aria-hidden": "true", vars: tagPlace(die), data: { key: `tag ${die.number}`, sure: die.status === "sure" ? "yes" : "no" } },
      `${die.die ?? "?"} `, h("b", {}, die.value ?? "?"))),
  ];
}

function tagPlace(die) {
  const top = Math.min(...die.outline.map(([, y]) => y));
  const bottom = Math.max(...die.outline.map(([, y]) => y));
  const above = top > 0.08;
  return { x: die.at[0], y: above ? top : bottom, up: above ? "-100%" : "0%" };
}

/** "D6: 5", "D8: a 3 or a 5?" in words for a list and a screen reader. */
export function dieWords(die) {
  const name = die.die ?? "Die of unknown type";
  if (die.status === "sure") return `${name}: ${die.value}`;
  const likely = die.candidates.slice(0, 2).map(([value]) => value);
  return likely.length > 0 ? `${name}: ${likely.join(" or ")}?` : `${name}: not read`;
}

export function dieFace(die, label = null) {
  return dieSvg({ die: die.die, value: die.value, state: die.status === "sure" ? "filled" : "asking", colour: die.colour, label });
}

/** What is wrong with the picture, each with what to do; where nothing is, that. */
export function faults(state) {
  const well = state.dice.length > 0 ? "Nothing is wrong with the picture." : "Nothing is wrong with the picture; lay dice in the tray to have them looked at too.";
  const live = ["watching", "motion", "settled"].includes(state.state);
  if (!live) return null;
  return h("section", { class: "faults", "aria-label": "The picture", data: { key: "faults", some: state.faults.length > 0 ? "yes" : "no" } },
    state.faults.length === 0 ? h("p", {}, well) : h("ul", {}, state.faults.map((fault) => h("li", { data: { key: fault.what } }, h("b", {}, `${capital(fault.what)}. `), fault.says))));
}
