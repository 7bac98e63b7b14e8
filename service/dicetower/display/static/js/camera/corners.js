/** The tray's corners over the picture: each is a button that is dragged, or moved by the arrow keys. */

import { h } from "../dom.js";

const STEP = 0.005;
const BIG_STEP = 0.05;
const KEYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export function corners(places) {
  const points = places.map(([x, y]) => `${(x * 100).toFixed(2)},${(y * 100).toFixed(2)}`).join(" ");
  return [
    h("svg", { class: "outlines tray-outline", viewBox: "0 0 100 100", preserveAspectRatio: "none", "aria-hidden": "true", data: { key: "tray" } },
      h("path", { class: "outside", d: `M0 0H100V100H0Z M${points.replaceAll(" ", " L")}Z` }),
      h("polygon", { class: "casing", points }), h("polygon", { class: "line", points })),
    places.map(([x, y], n) => h("button", { type: "button", class: "corner", "aria-label": `Corner ${n + 1}: ${Math.round(x * 100)} % from the left, ${Math.round(y * 100)} % from the top`, "aria-describedby": "corner-help", vars: { x, y }, data: { corner: n, keyDown: "corner", key: `corner ${n}` } }, String(n + 1))),
  ];
}

/** Where an arrow key takes a corner; null for any other key. */
export function stepped([x, y], event) {
  const way = KEYS[event.key];
  if (!way) return null;
  const step = event.shiftKey ? BIG_STEP : STEP;
  return [inside(x + way[0] * step), inside(y + way[1] * step)];
}

function inside(share) {
  return Math.min(1, Math.max(0, Number(share.toFixed(4))));
}

/** Call `moved(n, place)` while a corner is dragged, `dropped()` when it is let go. */
export function dragged(root, moved, dropped) {
  root.addEventListener("pointerdown", (event) => {
    const corner = event.target instanceof Element ? event.target.closest("[data-corner]") : null;
    if (!corner) return;
    event.preventDefault();
    corner.focus();
    corner.setPointerCapture(event.pointerId);
    const box = corner.closest(".frame").getBoundingClientRect();
    const move = (to) => moved(Number(corner.dataset.corner), [inside((to.clientX - box.left) / box.width), inside((to.clientY - box.top) / box.height)]);
    const end = () => {
      corner.removeEventListener("pointermove", move);
      dropped();
    };
    corner.addEventListener("pointermove", move);
    corner.addEventListener("pointerup", end, { once: true });
    corner.addEventListener("pointercancel", end, { once: true });
  });
}
