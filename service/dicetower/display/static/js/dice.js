/** Dice drawn as their own silhouettes in a 100 × 100 box; the numeral stands where the face is. */

import { h } from "./dom.js";
import { inkOn } from "./colour.js";

/** Outline, facet lines, the numeral's middle (y) and its size for one and for two digits. */
const SHAPES = {
  D4: { outline: "50,5 98,91 2,91", facets: [], y: 65, sizes: [56, 44] },
  D6: { outline: "9,9 91,9 91,91 9,91", facets: [], y: 51, sizes: [78, 62] },
  D8: { outline: "50,1 89,50 50,99 11,50", facets: [], y: 51, sizes: [60, 46] },
  D10: { outline: "50,2 98,63 50,97 2,63", facets: ["2,63 27,73 50,97 73,73 98,63"], y: 51, sizes: [58, 45] },
  D12: { outline: "50,2 98,37 80,95 20,95 2,37", facets: [], y: 55, sizes: [70, 56] },
  D20: { outline: "50,1 94,25 94,75 50,99 6,75 6,25", facets: ["50,13 87,73 13,73"], y: 54, sizes: [48, 36] },
  D100: { outline: "50,2 98,63 50,97 2,63", facets: ["2,63 27,73 50,97 73,73 98,63"], y: 52, sizes: [52, 38] },
  none: { outline: "50,4 96,50 50,96 4,50", facets: [], y: 51, sizes: [58, 44] },
};

/** On these a real die marks its 6 and 9, lest one be read as the other. */
const MARKED = new Set(["D10", "D12", "D20"]);

/**
 * A die. `state`: owed (its type stands in it, dashed), asking (a question mark), filled.
 * `virtual` is hatched: no hand threw it. `label` is for those who cannot see it; without one it is decoration.
 */
export function dieSvg({ die, value = null, state = "filled", colour = null, virtual = false, label = null, bare = false }) {
  const shape = SHAPES[die] ?? SHAPES.none;
  const text = bare ? "" : said(die, value, state);
  return h(
    "svg",
    {
      class: `die is-${state}${virtual ? " is-virtual" : ""}`,
      viewBox: "-3 -3 106 106",
      role: label ? "img" : null,
      "aria-label": label,
      "aria-hidden": label ? null : "true",
      data: { die: die ?? "", ink: colour ? inkOn(colour) : null },
      vars: colour ? { player: colour } : {},
    },
    h("polygon", { class: "body", points: shape.outline }),
    virtual && state === "filled" && hatch(shape.outline),
    state !== "owed" && shape.facets.map((points) => h("polygon", { class: "facet", points })),
    text && numeral(shape, die, text, state),
  );
}

function said(die, value, state) {
  if (state === "owed") return die ?? "?";
  return state === "asking" || value === null ? "?" : String(value);
}

function numeral(shape, die, text, state) {
  const size = state === "owed" ? Math.min(30, shape.sizes[1]) : shape.sizes[text.length > 1 ? 1 : 0];
  const marked = MARKED.has(die) && (text === "6" || text === "9");
  return [
    h("text", { class: "numeral", x: 50, y: shape.y + size * 0.345, "font-size": size }, text),
    marked && h("rect", { class: "underline", x: 50 - size * 0.24, y: shape.y + size * 0.42, width: size * 0.48, height: size * 0.07 }),
  ];
}

/** Slanting lines over the body: polygons cut to the outline by the same clip in dice.css. */
function hatch(outline) {
  const id = `hatch-${outline.replaceAll(/[^0-9]/g, "")}`;
  return [
    h("defs", {}, h("pattern", { id, width: 12, height: 12, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" }, h("rect", { class: "hatch", width: 4, height: 12 }))),
    h("polygon", { points: outline, fill: `url(#${id})`, stroke: "none" }),
  ];
}
