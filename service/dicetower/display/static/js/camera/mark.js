/** A place that a person marks on the tray's picture: a button that is dragged or moved by the arrow keys. */

import { h } from "../dom.js";

const percent = (share) => `${Math.round(share * 100)} %`;

export function spot([x, y]) {
  return h("button", { type: "button", class: "corner spot", "aria-label": `Marked place: ${percent(x)} from the left, ${percent(y)} from the top`, "aria-describedby": "spot-help", vars: { x, y }, data: { corner: 0, keyDown: "spot", key: "spot" } }, h("span", { "aria-hidden": "true" }, "+"));
}

/** Where a pointer points to in the picture, as shares of it. */
export function pointed(event) {
  const box = event.target.closest(".frame").getBoundingClientRect();
  const share = (at, from, size) => Math.min(1, Math.max(0, Number(((at - from) / size).toFixed(4))));
  return [share(event.clientX, box.left, box.width), share(event.clientY, box.top, box.height)];
}

/** The die whose outline holds a place; undefined where none was read there. */
export function dieAt(dice, [x, y]) {
  return dice.find(({ outline }) => outline.reduce((within, [x1, y1], n) => {
    const [x0, y0] = outline.at(n - 1);
    return (y0 > y) !== (y1 > y) && x < x0 + ((y - y0) / (y1 - y0)) * (x1 - x0) ? !within : within;
  }, false));
}
