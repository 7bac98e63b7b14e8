/** The set-up of the camera: choose it, mark the tray, learn it empty, zones and colours, try a throw, keep it all. */

import { get, send } from "./api.js";
import { corners, dragged, stepped } from "./camera/corners.js";
import { Feed } from "./camera/feed.js";
import { dieFace, dieWords, faults, head, ratioOf, since, stateLine, trouble, unsaid, view } from "./camera/view.js";
import { draw, h, obey } from "./dom.js";
import { mark } from "./marks.js";
import { capital } from "./words.js";

const WHOLE = [[0, 0], [1, 0], [1, 1], [0, 1]];
const ZONES = { none: "One tray for all", "left and right": "Left and right half", "near and far": "Near and far half" };
const TURNS = ["As it comes", "Quarter turn right", "Upside down", "Quarter turn left"];

const app = document.getElementById("app");
const table = document.body.dataset.table;
const ui = { state: null, fault: null, url: null, choices: null, denied: "", view: null, corners: null, said: {}, source: "", name: null, isOld: false };
let sending = null;

new Feed({
  whole: true,
  heard: (state, fault) => {
    if (!ui.isOld) ui.state = state ?? ui.state;
    ui.isOld = false;
    ui.fault = fault;
    render();
  },
  picture: (url) => { ui.url = url; render(); },
});

async function begin() {
  try {
    [ui.choices, ui.view] = await Promise.all([get("/camera/choices"), get(`/tables/${table}`)]);
  } catch (fault) {
    ui.denied = fault.message;
  }
  render();
}

function render() {
  const { state, fault } = ui;
  const ready = state && ui.choices && ui.view;
  draw(app, head("Set up the camera", "/setup"), trouble(state, fault),
    h("main", { class: "camera-plot setup-plot" }, ui.denied ? denied() : !ready ? h("p", { class: "soft" }, "Waiting for the server.") : [
      h("div", { class: "seen", data: { key: "seen" } }, stateLine(state, unsaid(state, "Choose one in step 1.")),
        view(ui.url, "All that the camera sees", state.chosen && ui.url ? corners(places(state)) : null, { ratio: ratioOf(state, true), stale: !isLive(state), waiting: noPicture(state) }),
        state.chosen && ui.url && h("p", { id: "corner-help", class: "soft" }, "Drag the numbered corners onto the tray’s", h("span", { class: "by-keys" }, ", or choose one with Tab and move it with the arrow keys; with Shift in larger steps"), "."),
        faults(state)),
      h("ol", { class: "steps", data: { key: "steps" } }, [cameraStep, trayStep, emptyStep, zoneStep, tryStep, keepStep].map((step, n) => section(n + 1, step(state)))),
    ]));
}

function denied() {
  return h("section", { class: "nothing" }, h("h2", {}, "Not from here"), h("p", {}, ui.denied), h("a", { class: "quiet", href: "/camera" }, "Look at the camera"));
}

function isLive(state) {
  return ["watching", "motion", "settled"].includes(state.state) && !ui.fault;
}

/** Why there is no picture in the frame. */
function noPicture(state) {
  if (!state.chosen) return "Its picture appears here.";
  return isLive(state) || state.state === "opening" ? `${state.source} is in use; its picture appears here as soon as it comes.` : `${state.source} is in use, but no picture ${since(state) ? `has come from it${since(state)}` : "comes from it"}.`;
}

function places(state) {
  return ui.corners ?? state.setup.corners;
}

/* The steps */

function section(number, { title, key, body }) {
  return h("li", { class: "step", data: { key } }, h("h2", {}, h("span", { class: "step-number", "aria-hidden": "true" }, String(number)), title), body,
    ui.said[key] && h("p", { class: ui.said[key].wrong ? "refusal" : "step-done", role: "status" }, ui.said[key].text));
}

function cameraStep(state) {
  const found = ui.choices.devices.map((device) => [device, device]);
  return { title: "Camera", key: "camera", body: [
    ui.choices.profiles.length > 0 && h("div", { class: "row", role: "group", "aria-label": "Set-ups that are kept" }, h("span", { class: "soft" }, "Kept set-ups"), ui.choices.profiles.map((name) => button(name, "use", { name, key: `use ${name}` }))),
    h("div", { class: "row", role: "group", "aria-label": "Cameras of this machine" }, h("span", { class: "soft" }, found.length > 0 ? "At this machine" : "None is plugged in at this machine."), found.map(([source, name]) => button(name, "open", { source, key: source }))),
    h("form", { class: "row", data: { submit: "address" } }, h("label", { class: "field grow" }, "Another, by its number or address", h("input", { class: "text", type: "text", name: "source", placeholder: "1, or the address of its video", maxlength: 500, autocomplete: "off" })), h("button", { type: "submit", class: "secondary" }, "Use it")),
    state.chosen && h("div", { class: "row" }, h("span", {}, "In use: ", h("b", {}, state.source)), button("Use none", "close", { key: "close" }, "quiet")),
  ] };
}

function trayStep(state) {
  return { title: "Tray", key: "tray", body: [
    h("div", { class: "row" }, button("Find the printed markers", "find"), button("Take the whole picture", "whole"), h("a", { class: "quiet", href: "/setup/markers", target: "_blank", rel: "noopener" }, "Markers to print")),
    h("fieldset", { class: "chips wide-chips", data: { of: TURNS.length } }, h("legend", {}, "The players see the picture"), TURNS.map((name, turn) => chip("turn", String(turn), name, state.setup.turn === turn))),
    h("form", { class: "row", data: { submit: "width" } }, h("label", { class: "field" }, "From corner 1 to 2, in millimetres", h("input", { class: "text", type: "number", name: "width", min: 0, max: 3000, step: "any", placeholder: state.setup.width_mm ?? "not measured" })), h("button", { type: "submit", class: "secondary" }, "Set"), scale(state)),
  ] };
}

/** What the measured edge says of the dice: pixels a millimetre, and of a 16 mm die. */
function scale(state) {
  if (!state.setup.width_mm || !state.size) return null;
  const [[x0, y0], [x1, y1]] = state.setup.corners;
  const px = Math.hypot((x1 - x0) * state.size[0], (y1 - y0) * state.size[1]) / state.setup.width_mm;
  return h("p", {}, `${px.toFixed(2)} pixels a millimetre: a 16 mm die is ${Math.round(16 * px)} pixels wide (35 or more are wanted).`);
}

function emptyStep(state) {
  return { title: "Empty tray", key: "empty", body: [
    h("p", { class: "soft" }, "Take everything out of the tray. A hand is told from dice by it; light may change later."),
    h("div", { class: "row" }, button(state.setup.empty ? "Learn it anew" : "Learn the empty tray", "empty"), state.setup.empty && h("span", {}, "It is known.")),
  ] };
}

function zoneStep(state) {
  const zones = state.setup.zones;
  const now = zones.length === 0 ? "none" : zones[0].startsWith("left") ? "left and right" : "near and far";
  const owner = (zone) => ui.view.settings.zones.find((each) => each.name === zone)?.player ?? "";
  return { title: "Whose dice fall where", key: "zones", body: [
    h("fieldset", { class: "chips wide-chips", data: { of: 3 } }, h("legend", {}, "The tray is"), Object.entries(ZONES).map(([value, name]) => chip("zones", value, name, value === now))),
    zones.length > 0 && h("div", { class: "row" }, zones.map((zone) => h("label", { class: "field", data: { key: zone } }, `${capital(zone)} is`, h("select", { data: { change: "owner", zone }, value: owner(zone) }, h("option", { value: "" }, "nobody’s"), ui.view.players.map((player) => h("option", { value: player.id }, `${player.name}’s`)))))),
  ] };
}

function tryStep(state) {
  const on = state.trial !== null;
  const [last] = (state.trial ?? []).slice(-1);
  return { title: "Try a throw", key: "trial", body: [
    h("div", { class: "row" }, button(on ? "Stop trying" : "Try throws", "trial", { on: on ? "" : "yes" }), h("span", {}, on ? "Throw now. Nothing reaches the table meanwhile." : "Throws are given to the table.")),
    h("p", { class: "soft" }, tiltWords(state.setup.tilt_deg)),
    last && h("ul", { class: "tried", "aria-label": "The last throw" }, last.dice.map((die) => tried(die, last.throw))),
  ] };
}

function tiltWords(tilt) {
  if (tilt === null) return "How the camera looks down is learnt from dice with numerals: throw eight of them. A die alone is then read more surely.";
  return tilt < 3 ? "The camera looks straight down, as the dice show." : `The camera looks down ${tilt} degrees aslant, as the dice show.`;
}

function tried(die, name) {
  return h("li", { data: { key: `${name} ${die.number}` } }, dieFace(die), h("div", {}, h("p", { class: "read-name" }, dieWords(die)), h("p", { class: "soft" }, [die.zone, `${die.width_px} pixels wide`].filter(Boolean).join(" · "))),
    h("div", { class: "row", role: "group", "aria-label": "Whose colour this is" }, ui.view.players.map((player) => h("button", { type: "button", class: "quiet", data: { do: "colour", player: player.id, colour: die.colour, key: player.id } }, mark(player), `${player.name}’s colour`))));
}

function keepStep(state) {
  return { title: "Keep it", key: "keep", body: [
    h("form", { class: "row", data: { submit: "keep" } }, h("label", { class: "field" }, "Name", h("input", { class: "text", type: "text", name: "name", maxlength: 32, placeholder: state.setup.profile, autocomplete: "off" })), h("button", { type: "submit", class: "primary" }, "Save the set-up")),
    h("p", { class: "soft" }, "To use it at every start, write into config.toml, in the configuration folder:"),
    h("pre", {}, `[camera]\nprofile = "${state.setup.profile}"`),
  ] };
}

function button(text, action, data = {}, kind = "secondary") {
  return h("button", { type: "button", class: kind, data: { do: action, key: text, ...data } }, text);
}

function chip(name, value, text, checked) {
  return h("label", { class: "chip", data: { key: `${name} ${value}` } }, h("input", { type: "radio", name, value, data: { change: name }, checked }), h("span", {}, text));
}

/* What is done */

/** Do something of a step: its answer is the camera's new state, its refusal stands under the step. */
async function act(key, path, body, done = "", method = "POST") {
  try {
    ui.state = await send(`/camera${path}`, body, { method });
    ui.isOld = true; // what was asked before this answer came
    ui.said[key] = done ? { text: done } : null;
  } catch (fault) {
    ui.said[key] = { text: fault.message, wrong: true };
  }
  render();
  return !ui.said[key]?.wrong;
}

async function atTable(key, path, body, done) {
  try {
    ui.view = await send(`/tables/${table}${path}`, body, { method: "PATCH" });
    ui.said[key] = { text: done };
  } catch (fault) {
    ui.said[key] = { text: fault.message, wrong: true };
  }
  render();
}

function putCorners() {
  clearTimeout(sending);
  sending = setTimeout(async () => {
    const sent = ui.corners;
    await act("tray", "/setup", { corners: sent }, "The tray is marked.", "PATCH");
    if (ui.corners === sent) ui.corners = null; // else it was moved on meanwhile, and is sent again
    render();
  }, 250);
}

function move(n, place) {
  const now = places(ui.state).map((corner) => [...corner]);
  now[n] = place;
  ui.corners = now;
  render();
}

dragged(app, move, putCorners);
obey(app, {
  corner: (node, event) => {
    const n = Number(node.dataset.corner);
    const to = stepped(places(ui.state)[n], event);
    if (!to) return;
    event.preventDefault();
    move(n, to);
    putCorners();
  },
  open: (node) => act("camera", "/open", { source: node.dataset.source }),
  address: (form) => act("camera", "/open", { source: form.elements.source.value.trim() }),
  use: (node) => act("camera", "/profile/use", { name: node.dataset.name }, `${node.dataset.name} is in use.`),
  close: () => act("camera", "/close", {}),
  find: () => act("tray", "/find", {}, "The four markers are seen: the tray lies between them."),
  whole: () => act("tray", "/setup", { corners: WHOLE }, "All of the picture is the tray.", "PATCH"),
  turn: (node) => act("tray", "/setup", { turn: Number(node.value) }, "", "PATCH"),
  width: (form) => act("tray", "/setup", { width_mm: Number(form.elements.width.value) || 0 }, "", "PATCH"),
  empty: () => act("empty", "/empty", {}, "The empty tray is learnt."),
  zones: (node) => act("zones", "/setup", { zones: node.value }, "", "PATCH"),
  owner: (node) => {
    const others = ui.view.settings.zones.filter((each) => each.name !== node.dataset.zone);
    const zones = node.value ? [...others, { name: node.dataset.zone, player: node.value }] : others;
    atTable("zones", "/settings", { zones }, "The table knows whose dice fall there.");
  },
  trial: (node) => act("trial", "/trial", { on: node.dataset.on === "yes" }),
  colour: async (node) => {
    await atTable("trial", `/players/${node.dataset.player}`, { colour: node.dataset.colour }, "");
    if (!ui.said.trial?.wrong) await atTable("trial", "/settings", { assign_by_colour: true }, "Dice of that colour are theirs from now on.");
  },
  keep: async (form) => {
    const name = form.elements.name.value.trim() || ui.state.setup.profile;
    if (await act("keep", "/profile", { name }, `Kept as ${name}.`)) ui.choices = await get("/camera/choices");
    render();
  },
});

begin();
