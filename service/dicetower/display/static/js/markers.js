/** The page of markers to print, cut out and lay at the tray's corners. */

import { draw, h } from "./dom.js";

const PLACES = [["far left", "↘"], ["far right", "↙"], ["near right", "↖"], ["near left", "↗"]];

draw(document.getElementById("app"), h("main", {},
  h("h1", {}, "Markers for the tray’s corners"),
  h("p", { class: "how" }, "Print this page, cut out the four squares with their white edge, and lay or glue one flat at each corner, outside where dice fall: 1 at the far left as the players see it, then clockwise. The arrow points into the tray. On the page ", h("a", { href: "/setup" }, "Set up the camera"), ", press “Find the printed markers”."),
  h("ol", {}, PLACES.map(([place, arrow], n) => h("li", {}, h("img", { src: `/api/v1/camera/markers/${n}`, alt: `Marker ${n + 1}`, width: 640, height: 640 }), h("p", {}, h("b", {}, String(n + 1)), place, h("span", { "aria-hidden": "true" }, arrow)))))));
