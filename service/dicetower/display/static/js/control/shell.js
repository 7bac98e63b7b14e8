/** What every dialog has: its title, its way out, the sentence that refuses, the button that does it. */

import { h } from "../dom.js";

export function shell(title, submit, body, buttons) {
  return h("form", { class: "dialog-form", data: { submit }, autocomplete: "off", novalidate: true },
    h("header", {}, h("h2", { id: "dialog-title" }, title), h("button", { type: "button", class: "close", "aria-label": "Close", data: { do: "close" } }, h("span", { "aria-hidden": "true" }, "×"))),
    h("div", { class: "dialog-body" }, body),
    buttons && h("footer", {}, h("button", { type: "button", class: "quiet", data: { do: "close" } }, "Leave it"), buttons));
}

export function refusal(ui) {
  return ui.dialog.refusal && h("p", { class: "refusal", role: "alert" }, ui.dialog.refusal);
}

export function primary(text, disabled = false) {
  return h("button", { type: "submit", class: "primary", "aria-disabled": disabled ? "true" : null }, text);
}
