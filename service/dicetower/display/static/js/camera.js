/** The camera page: the live picture, what is read in it, how it is read, and "this is wrong" on each die. */

import { send } from "./api.js";
import { Feed } from "./camera/feed.js";
import { dragged, stepped } from "./camera/corners.js";
import { dieAt, pointed, spot } from "./camera/mark.js";
import { dieFace, dieWords, faults, head, outlines, ratioOf, since, stateLine, trouble, unsaid, view } from "./camera/view.js";
import { dieSvg } from "./dice.js";
import { draw, h, obey } from "./dom.js";
import { capital, sentence } from "./words.js";

const app = document.getElementById("app");
const TYPES = ["D4", "D6", "D8", "D10", "D12", "D20", "D100"];
const FACES = { D100: [0, 10, 20, 30, 40, 50, 60, 70, 80, 90] };
const wide = matchMedia("(min-width: 68.01rem)"); // as in camera.css: what asks for a person stands beside the picture
const ui = { state: null, fault: null, url: null, wrong: null, message: "", refusal: "", stages: null, busy: "", spot: null, awayRefusal: "" };

new Feed({
  heard: (state, fault) => { ui.state = state ?? ui.state; ui.fault = fault; render(); },
  picture: (url) => { ui.url = url; render(); },
});

function render() {
  const { state, fault } = ui;
  draw(app, head("Camera", "/camera"), trouble(state, fault), message(),
    h("main", { class: "camera-plot" }, state ? [
      h("div", { class: "seen", data: { key: "seen" } }, stateLine(state, unsaid(state, "Choose one under Set up.")), !wide.matches && away(state), view(ui.url, alt(state), [outlines(state.dice), ui.spot && spot(ui.spot)], { ratio: ratioOf(state, false), stale: !isLive(state), waiting: waiting(state) }), (!wide.matches || !ui.spot) && missed(state), faults(state), stages()),
      h("aside", { class: "reads", "aria-label": "Dice in the tray", data: { key: "reads" } }, wide.matches && [ui.spot && missed(state), away(state)], dice(state)),
    ] : h("p", { class: "soft" }, "Waiting for the server.")));
}

function isLive(state) {
  return ["watching", "motion", "settled"].includes(state.state) && !ui.fault;
}

function waiting(state) {
  if (state.state === "none") return "The tray appears here.";
  if (!["stalled", "lost"].includes(state.state)) return "The picture appears here as soon as the camera sends one.";
  return since(state) ? `No picture has come${since(state)}. Nothing is read from the last one.` : "No picture comes from it.";
}

function alt(state) {
  const words = state.dice.map(dieWords);
  return words.length > 0 ? `The tray, with ${words.join("; ")}` : "The tray";
}

function message() {
  return ui.message && h("div", { class: "message", role: "status", data: { key: "message" } }, h("p", {}, ui.message), h("button", { type: "button", class: "close", "aria-label": "Dismiss", data: { do: "hush" } }, h("span", { "aria-hidden": "true" }, "×")));
}

/** Dice that nobody saw come: a person says whether they were thrown. */
function away(state) {
  if (!state.away) return null;
  const some = state.away.dice;
  return h("section", { class: "away", role: "status", "aria-labelledby": "away-title", data: { key: `away ${state.away.at}` } },
    h("h2", { id: "away-title" }, "Thrown while the camera was away?"),
    h("ul", { class: "away-dice" }, some.map((die) => h("li", { data: { key: die.number } }, dieFace(die), h("span", {}, dieWords(die))))),
    h("p", { class: "soft" }, some.length === 1 ? "It was not seen to fall, and does not count unless you say so." : "They were not seen to fall, and do not count unless you say so."),
    h("div", { class: "quiet-row" }, h("button", { type: "button", class: "primary", data: { do: "away", count: "yes", at: state.away.at } }, some.length === 1 ? "Count it" : "Count them"), h("button", { type: "button", class: "secondary", data: { do: "away", count: "no", at: state.away.at } }, "No throw")),
    ui.awayRefusal && h("p", { class: "refusal", role: "alert" }, ui.awayRefusal));
}

function dice(state) {
  if (state.dice.length === 0 && !isLive(state)) return h("div", { class: "no-dice", data: { key: "unseen" } }, h("h2", {}, "Nothing is read"), h("p", { class: "soft" }, "Each die that comes to rest under a live camera stands here with what was read."));
  if (state.dice.length === 0) return h("div", { class: "no-dice", data: { key: "none" } }, h("h2", {}, state.state === "motion" ? "Dice are moving" : "No dice in the tray"), h("p", { class: "soft" }, "Each die that comes to rest stands here with what was read."));
  return [
    h("h2", { data: { key: "title" } }, state.dice.length === 1 ? "One die" : `${state.dice.length} dice, left to right`),
    h("ol", { class: "dice-list", data: { key: "dice" } }, state.dice.map((die) => item(die, state))),
  ];
}

function item(die, state) {
  const open = !ui.spot && ui.wrong?.look === state.look && ui.wrong.number === die.number;
  const doubts = [die.cocked && "leans on something", ...die.reasons].filter(Boolean);
  return h("li", { data: { key: `${state.look} ${die.number}`, sure: die.status === "sure" ? "yes" : "no" } },
    dieFace(die),
    h("div", { class: "read" },
      h("p", { class: "read-name" }, dieWords(die)),
      h("p", { class: "soft" }, [`${Math.round(die.confidence * 100)} % sure`, die.zone, `${die.width_px} px`].filter(Boolean).join(" · ")),
      doubts.length > 0 && h("p", { class: "read-doubt" }, sentence(doubts.join("; ")))),
    h("button", { type: "button", class: "quiet", "aria-expanded": open ? "true" : "false", data: { do: "wrong", number: die.number, key: "wrong" } }, "This is wrong", h("span", { class: "unseen" }, ` about ${dieWords(die)}`)),
    open && correction(die));
}

/** A place is marked on the picture: a die that was missed lies there, or none where one was read. */
function missed(state) {
  const die = ui.spot && dieAt(state.dice, ui.spot);
  return h("section", { class: "missed", "aria-label": "A place on the picture", data: { key: "missed" } },
    !ui.spot && h("button", { type: "button", class: "secondary", "aria-disabled": state.look !== null && isLive(state) ? null : "true", data: { do: "mark", key: "mark" } }, "Mark a missed die, or one that is none"),
    ui.spot && h("h2", {}, die ? `Read here: ${dieWords(die)}` : "A die was missed here"),
    ui.spot && h("p", { class: "soft", id: "spot-help" }, "Press the picture where the die lies, or drag the mark", h("span", { class: "by-keys" }, ", or move it by the arrow keys; with Shift in larger steps"), "."),
    ui.spot && correction(die ?? { colour: null }, die !== undefined));
}

/** What the die shows in truth: its type, then its face in one press. */
function correction(die, read = true) {
  const type = ui.wrong.type;
  return h("div", { class: "correction", data: { key: "correction" } },
    h("fieldset", { class: "chips" }, h("legend", {}, "It is a"), TYPES.map((each) => h("label", { class: "chip", data: { key: each } }, h("input", { type: "radio", name: "type", value: each, data: { change: "type" }, checked: each === type }), h("span", {}, each)))),
    type && h("div", { class: "true-faces", role: "group", "aria-label": `It shows` }, faces(type).map((value) => h("button", { type: "button", class: "answer", "aria-label": `${type}: ${value}`, data: { do: "shows", value, key: value } }, dieSvg({ die: type, value, colour: die.colour })))),
    h("div", { class: "quiet-row" }, read && h("button", { type: "button", class: "secondary", data: { do: "noDie" } }, "There is no die here"), h("button", { type: "button", class: "quiet", data: { do: "leave" } }, "Leave it")),
    ui.refusal && h("p", { class: "refusal", role: "alert" }, ui.refusal));
}

function faces(type) {
  return FACES[type] ?? Array.from({ length: Number(type.slice(1)) }, (_, n) => n + 1);
}

function stages() {
  return h("section", { class: "stages", "aria-label": "How it is read", data: { key: "stages" } },
    h("div", { class: "stages-head" }, h("h2", {}, "How it is read"), h("button", { type: "button", class: "secondary", "aria-disabled": ui.busy || !ui.state || !isLive(ui.state) ? "true" : null, data: { do: "stages" } }, ui.busy ? "Reading" : ui.stages ? "Look again" : "Show each stage")),
    ui.stages && h("ol", {}, ui.stages.names.map((name, number) => h("li", { data: { key: `${ui.stages.mark} ${number}` } }, h("img", { src: `/api/v1/camera/stages/${number}?${ui.stages.mark}`, alt: `Stage ${number + 1}: ${name}`, loading: "lazy" }), h("p", {}, `${number + 1}. ${capital(name)}`)))));
}

async function say(value, type) {
  const which = ui.spot ? { look: ui.state.look, at: ui.spot } : { look: ui.wrong.look, number: ui.wrong.number };
  try {
    const { tape, offered } = await send("/camera/wrong", { ...which, die: type, value });
    const toSet = offered ? ` Its face is offered to ${offered}: look at it under Own dice.` : "";
    ui.message = `Kept as the tape ${tape}. Played again, it fails until the reader reads it right.${toSet}`;
    leave();
  } catch (fault) {
    ui.refusal = fault.message;
  }
  render();
}

function leave() {
  ui.wrong = null;
  ui.spot = null;
  ui.refusal = "";
}

function mark(place) {
  ui.spot = place;
  render();
}

dragged(app, (_, place) => mark(place), () => {});
app.addEventListener("click", (event) => {
  if (ui.spot && event.target.closest(".frame") && !event.target.closest(".spot")) mark(pointed(event));
});
wide.addEventListener("change", render);
obey(app, {
  hush: () => { ui.message = ""; render(); },
  wrong: (node) => {
    const number = Number(node.dataset.number);
    const again = ui.wrong?.look === ui.state.look && ui.wrong.number === number;
    ui.wrong = again ? null : { look: ui.state.look, number, type: ui.state.dice.find((die) => die.number === number)?.die ?? null };
    ui.spot = null;
    ui.refusal = "";
    render();
  },
  mark: () => {
    ui.spot = [0.5, 0.5];
    ui.wrong = { look: ui.state.look, number: null, type: null };
    ui.refusal = "";
    render();
    app.querySelector(".spot").focus();
  },
  spot: (node, event) => {
    const to = stepped(ui.spot, event);
    if (!to) return;
    event.preventDefault();
    mark(to);
  },
  type: (node) => { ui.wrong = { ...ui.wrong, type: node.value }; render(); },
  shows: (node) => say(Number(node.dataset.value), ui.wrong.type),
  noDie: () => say(null, null),
  away: async (node) => {
    try {
      ui.state = await send("/camera/away", { at: Number(node.dataset.at), count: node.dataset.count === "yes" });
      ui.awayRefusal = "";
    } catch (fault) {
      ui.awayRefusal = fault.message;
    }
    render();
  },
  leave: () => { leave(); render(); },
  stages: async () => {
    ui.busy = "stages";
    render();
    try {
      const { stages: names } = await send("/camera/stages");
      ui.stages = { names, mark: Date.now() };
    } catch (fault) {
      ui.message = fault.message;
    }
    ui.busy = "";
    render();
  },
});

render();
