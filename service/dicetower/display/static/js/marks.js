/** A player's mark: one shape and one colour, always together. No mark has the outline of a die. */

import { h } from "./dom.js";

const STAR = "50,3 61.5,36 96,36.5 68.5,57.5 78.5,91 50,71 21.5,91 31.5,57.5 4,36.5 38.5,36";
const DRAWN = {
  circle: () => h("circle", { cx: 50, cy: 50, r: 43 }),
  cross: () => h("path", { d: "M34 5H66V34H95V66H66V95H34V66H5V34H34Z" }),
  star: () => h("polygon", { points: STAR }),
  chevron: () => h("path", { d: "M50 8 96 54V92L50 48 4 92V54Z" }),
  ring: () => h("path", { "fill-rule": "evenodd", d: "M50 5a45 45 0 1 0 .01 0ZM50 31a19 19 0 1 1-.01 0Z" }),
  crescent: () => h("path", { d: "M62 5A46 46 0 1 0 95 68 38 38 0 1 1 62 5Z" }),
  shield: () => h("path", { d: "M8 8H92V46C92 72 74 88 50 97 26 88 8 72 8 46Z" }),
  bars: () => h("path", { d: "M8 10H92V40H8ZM8 60H92V90H8Z" }),
};

export const SHAPES = Object.keys(DRAWN);

/** Colours that are offered at a seat: any two differ by 25 (CIE 1976) or more under every kind of colour blindness. */
export const COLOURS = [
  { name: "red", colour: "#ac2917" },
  { name: "blue", colour: "#2a72d4" },
  { name: "yellow", colour: "#ffd327" },
  { name: "green", colour: "#054d43" },
  { name: "violet", colour: "#6c337e" },
  { name: "sky", colour: "#83d4f4" },
  { name: "orange", colour: "#ec935c" },
  { name: "bone", colour: "#f8f7e8" },
];

/** The mark of a player (or of any {colour, shape}); null gives a grey ring. */
export function mark(player, { fate = null } = {}) {
  const shape = DRAWN[player?.shape] ?? DRAWN.circle;
  return h(
    "svg",
    { class: "mark", viewBox: "-4 -4 108 108", "aria-hidden": "true", data: { fate }, vars: { player: player?.colour ?? "#8a979b" } },
    h("g", { class: "body" }, shape()),
    fate === "destroyed" && h("path", { class: "fate", d: "M4 4 96 96M96 4 4 96" }),
    fate === "damaged" && h("path", { class: "fate", d: "M4 96 96 4" }),
  );
}
