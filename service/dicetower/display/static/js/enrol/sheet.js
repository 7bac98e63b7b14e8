/** What a set holds: its faces with their pictures, what the table offers to it, and the sets there are. */

import { dieSvg } from "../dice.js";
import { h } from "../dom.js";
import { facesOf, hasAll, pictureUrl, TYPES, WANTED } from "./faces.js";

const BONE = "#e9e4d6";

/** The sets that are kept, and a form for another. */
export function shelf(sets, fault) {
  return h("main", { class: "shelf" },
    h("section", { class: "shelf-intro", "aria-labelledby": "intro" },
      h("h2", { id: "intro" }, "Odd fonts, symbols, worn ink"),
      h("p", {}, "Show each face of a die three times. From then on the set is read by comparison with its own faces, whatever is printed on them."),
      h("form", { class: "row", data: { submit: "begin" } },
        h("label", { class: "field grow" }, "Name of a new set", h("input", { class: "text", type: "text", name: "name", maxlength: 32, spellcheck: "false", autocomplete: "off", placeholder: "skulls", "aria-describedby": "name-hint" })),
        h("button", { type: "submit", class: "primary" }, "Begin")),
      h("p", { id: "name-hint", class: "soft" }, "Small letters, digits and hyphens."),
      fault && h("p", { class: "refusal", role: "alert" }, fault)),
    h("section", { class: "kept", "aria-labelledby": "kept" },
      h("h2", { id: "kept" }, sets.length === 0 ? "No set is kept yet" : sets.length === 1 ? "One set" : `${sets.length} sets`),
      h("ul", {}, sets.map(keptSet))));
}

function keptSet(set) {
  const pictures = set.dice.flatMap((die) => die.faces.flatMap((face) => face.pictures.slice(0, 1).map((picture) => ({ die: die.die, face, picture }))));
  return h("li", { data: { key: set.name } },
    h("div", { class: "kept-head" },
      h("a", { class: "kept-name", href: `#${set.name}` }, set.name),
      h("span", { class: "soft" }, set.fault || [set.dice.map((die) => `${die.die}${hasAll(set, die.die) ? "" : ", not all faces"}`).join("; "), set.used && "read at the table", set.offers.length > 0 && offersWord(set.offers)].filter(Boolean).join(" · "))),
    h("div", { class: "strip", "aria-hidden": "true" }, pictures.slice(0, 20).map(({ picture }) => h("img", { src: pictureUrl(set.name, picture), alt: "", loading: "lazy", width: 192, height: 192, data: { key: picture } }))));
}

function offersWord(offers) {
  return offers.length === 1 ? "one face from the table" : `${offers.length} faces from the table`;
}

/** One set: whether it is in use, its dice, the faces of the one that is shown. */
export function sheet(set, die, asked, ui) {
  return h("aside", { class: "reads sheet", "aria-label": `The set ${set.name}`, data: { key: "sheet" } },
    h("div", { class: "sheet-head" }, h("h2", {}, set.name), h("a", { class: "quiet", href: "#" }, "All sets")),
    set.fault && h("p", { class: "refusal", role: "alert" }, set.fault),
    use(set),
    h("fieldset", { class: "chips" }, h("legend", {}, "The die"), TYPES.map((type) => h("label", { class: "chip", data: { key: type } },
      h("input", { type: "radio", name: "die", value: type, data: { change: "die" }, checked: type === die }), h("span", {}, dieSvg({ die: type, state: "owed", bare: true }), type)))),
    die === "D4" && h("p", { class: "soft" }, "A crystal D4 lies on a side: show the face on top. A pyramid stands: show it from above, the value that counts nearest to you."),
    h("ol", { class: "faces-shown", "aria-label": `Faces of the ${die}`, data: { key: `faces ${die}` } }, facesOf(set, die).map((face) => faceRow(set, die, face, face.value === asked, ui))),
    offers(set),
    ui.alike?.length > 0 && h("section", { class: "alike", data: { key: "alike" } }, h("h3", {}, "Look alike, and will be asked about"), h("ul", {}, ui.alike.map(([type, one, other]) => h("li", {}, `${type}: ${one} and ${other}. Were both shown right?`)))),
    set.dice.length > 0 && forget(set, ui));
}

function use(set) {
  if (set.dice.length === 0) return null;
  const rest = set.configured ? "The configuration names it: it is read from every start on." : `Until the service ends. For every start: die_sets = ["${set.name}"] in config.toml.`;
  return h("div", { class: "use", data: { key: "use" } },
    h("button", { type: "button", class: set.used ? "primary" : "secondary", "aria-pressed": set.used ? "true" : "false", data: { do: "use" } }, set.used ? "Read at the table: on" : "Read at the table: off"),
    h("p", { class: "soft" }, rest));
}

function faceRow(set, die, face, open, ui) {
  const symbol = face.label !== String(face.value);
  const count = face.pictures.length;
  const name = `${face.label}${symbol ? `, counts ${face.value}` : ""}: ${count === 1 ? "one picture" : `${count} pictures`}`;
  return h("li", { data: { key: `${die} ${face.value}`, open: open ? "yes" : null } },
    h("button", { type: "button", class: "face-button", "aria-label": name, "aria-current": open ? "true" : null, data: { do: "face", value: face.value } },
      dieSvg({ die, value: face.value, state: "filled", colour: count > 0 ? BONE : null }), symbol && h("span", { class: "symbol" }, face.label)),
    h("ol", { class: "thumbs", "aria-label": `Pictures of the ${face.label}` }, face.pictures.map((picture, n) => thumb(set, face, picture, n, open, ui)),
      Array.from({ length: Math.max(0, WANTED - count) }, (_, n) => h("li", { class: "wanted", "aria-hidden": "true", data: { key: `wanted ${count + n}` } }))),
    open && called(face, symbol));
}

function thumb(set, face, picture, n, open, ui) {
  return h("li", { data: { key: picture, chosen: ui.replaces === picture ? "yes" : null, like: ui.said?.like === picture ? "yes" : null } },
    h("img", { src: pictureUrl(set.name, picture), alt: `Picture ${n + 1} of the ${face.label}`, width: 192, height: 192 }),
    open && h("div", { class: "thumb-acts" },
      h("button", { type: "button", class: "quiet", "aria-pressed": ui.replaces === picture ? "true" : "false", data: { do: "again", picture, key: "again" } }, "Again", h("span", { class: "unseen" }, ` in place of picture ${n + 1}`)),
      h("button", { type: "button", class: "quiet", data: { do: "remove", picture, key: "remove" } }, "Remove", h("span", { class: "unseen" }, ` picture ${n + 1} of the ${face.label}`))));
}

/** What a symbol is called; a numeral needs no name. */
function called(face, symbol) {
  return h("label", { class: "field called" }, "A symbol? What it is called", h("input", { class: "text", type: "text", name: "label", maxlength: 24, autocomplete: "off", placeholder: symbol ? face.label : "skull", data: { input: "label" } }));
}

function offers(set) {
  if (set.offers.length === 0) return null;
  return h("section", { class: "offers", "aria-labelledby": "offers", data: { key: "offers" } },
    h("h3", { id: "offers" }, "From the table: dice that were put right"),
    h("ul", {}, set.offers.map((offer) => h("li", { data: { key: offer.picture } },
      h("img", { src: pictureUrl(set.name, offer.picture), alt: `A ${offer.die} that shows the ${offer.label}`, width: 192, height: 192 }),
      h("div", {}, h("p", {}, h("b", {}, `${offer.die}: ${offer.label}. `), offer.says),
        h("div", { class: "quiet-row" },
          h("button", { type: "button", class: "secondary", data: { do: "offer", picture: offer.picture, take: "yes", key: "take" } }, "Add it", h("span", { class: "unseen" }, ` as the ${offer.label}`)),
          h("button", { type: "button", class: "quiet", data: { do: "offer", picture: offer.picture, key: "leave" } }, "Not of this set")))))));
}

function forget(set, ui) {
  if (!ui.forgetting) return h("button", { type: "button", class: "quiet forget", data: { do: "forget", key: "forget" } }, "Forget this set");
  return h("div", { class: "row forget", role: "group", "aria-label": "Forget this set", data: { key: "forgetting" } }, h("p", {}, `All pictures of ${set.name} are deleted.`),
    h("button", { type: "button", class: "primary", data: { do: "forgetNow" } }, "Forget it"), h("button", { type: "button", class: "quiet", data: { do: "keep" } }, "Keep it"));
}
