/** Dice of one's own: a set is chosen or named, each face is shown a few times, then thrown and read for a trial. */

import { Announcer } from "./announce.js";
import { get, send, upload } from "./api.js";
import { Feed } from "./camera/feed.js";
import { dieFace, dieWords, head, outlines, ratioOf, stateLine, view } from "./camera/view.js";
import { dieSvg } from "./dice.js";
import { draw, h, obey } from "./dom.js";
import { asking, facesOf, nextFace, WANTED } from "./enrol/faces.js";
import { Holding } from "./enrol/holding.js";
import { sheet, shelf } from "./enrol/sheet.js";

const NAME = /^[a-z0-9][a-z0-9-]{0,31}$/;
const LIVE = ["watching", "motion", "settled"];

const app = document.getElementById("app");
const announcer = new Announcer(document.getElementById("spoken"));
const ui = { camera: null, fault: null, url: null, sets: null, name: "", die: "D6", asked: 1, label: "", replaces: null, mode: null, said: null, busy: "", tried: null, alike: null, forgetting: false, refusal: "" };

const holding = new Holding({
  settled: (look) => {
    if (ui.busy) return false;
    if (ui.mode === "try") tryOut({ look });
    else shoot({ look });
    return true;
  },
  lost: (fault) => { ui.mode = null; say(fault.message, true); },
});

new Feed({
  heard: (state, fault) => { ui.camera = state ?? ui.camera; ui.fault = fault; if (state) holding.hear(state); render(); },
  picture: (url) => { ui.url = url; render(); },
});

/* What is shown */

function render() {
  if (!ui.sets) draw(app, head("Your own dice", "/enrol"), h("main", {}, h("p", { class: "soft" }, ui.refusal || "Waiting for the server.")));
  else if (!ui.name) draw(app, head("Your own dice", "/enrol"), shelf(ui.sets, ui.refusal));
  else draw(app, head("Your own dice", "/enrol"), h("main", { class: "camera-plot enrol-plot" }, stage(), sheet(set(), ui.die, ui.asked, ui)));
}

function set() {
  return ui.sets.find((each) => each.name === ui.name) ?? { name: ui.name, used: false, configured: false, fault: "", dice: [], offers: [] };
}

function face() {
  return facesOf(set(), ui.die).find((each) => each.value === ui.asked);
}

function seesCamera() {
  return Boolean(ui.camera?.chosen) && LIVE.includes(ui.camera.state) && !ui.fault;
}

function stage() {
  return h("div", { class: "seen", data: { key: "seen" } }, ui.mode === "try" ? trial() : ask(), said(), h("div", { class: "row acts" }, acts()), seesCamera() || ui.mode ? camera() : withoutCamera());
}

/** The face that is asked for, drawn as it will be: dashed until it is all there. */
function ask() {
  const asked = face();
  const { title, how } = asking(asked, ui.replaces);
  const all = asked.pictures.length >= WANTED && !ui.replaces;
  return h("section", { class: "ask", "aria-label": "What is asked for", data: { key: "ask" } },
    h("div", { class: "ask-die" }, dieSvg({ die: ui.die, value: asked.value, state: "filled", colour: all ? "#e9e4d6" : null })),
    h("div", {}, h("h2", {}, title), h("p", {}, how)),
    h("ol", { class: "tally", "aria-hidden": "true" }, Array.from({ length: WANTED }, (_, n) => h("li", { data: { taken: n < asked.pictures.length ? "yes" : "no", key: String(n) } }))));
}

function trial() {
  return h("section", { class: "ask", "aria-label": "Try-out", data: { key: "trial" } },
    h("div", { class: "ask-die" }, dieSvg({ die: ui.die, state: "owed" })),
    h("div", {}, h("h2", {}, "Throw it"), h("p", {}, "What is read with this set stands below. Nothing reaches the table.")));
}

/** What came of the newest picture, in one sentence, with what can be done about it. */
function said() {
  return h("div", { class: "said", data: { key: "said", wrong: ui.said?.wrong ? "yes" : null } },
    ui.busy && h("p", {}, ui.busy),
    !ui.busy && !ui.tried && h("p", {}, ui.said?.text ?? hint()),
    !ui.busy && ui.said?.insist && h("div", { class: "quiet-row" }, h("button", { type: "button", class: "secondary", data: { do: "insist" } }, "Take it all the same"), h("button", { type: "button", class: "quiet", data: { do: "hush" } }, "No")),
    ui.tried && h("ul", { class: "tried", "aria-label": "What is read" }, ui.tried.length === 0 ? h("li", { class: "none" }, "No die is seen.") : ui.tried.map(triedDie)));
}

function hint() {
  if (ui.mode === "try") return "Throw the die.";
  return seesCamera() ? "Press “Show it to the camera”, then lay the die in the tray, the face on top." : "Take a photograph of the die, the face on top, and choose it below.";
}

function triedDie(die, n) {
  const known = set().dice.find((each) => each.die === die.die)?.faces.find((each) => each.value === die.value);
  const named = known && known.label !== String(known.value) ? `${dieWords(die)}, ${known.label}` : dieWords(die);
  return h("li", { data: { key: `${n} ${named}` } }, dieFace(die), h("div", {}, h("p", { class: "read-name" }, named), h("p", { class: "soft" }, die.status === "sure" ? "Sure: it would be taken without a question." : `It would be asked about: ${die.reasons.join("; ") || "it is not sure"}.`)));
}

function camera() {
  const { camera: state } = ui;
  const stale = !seesCamera();
  const [over] = outlines(state.dice.map((die) => ({ ...die, status: "sure" }))); // where they lie; what they show is not asked here
  return [stateLine(state), view(ui.url, "The tray as the camera sees it", over, { ratio: ratioOf(state, false), stale })];
}

function withoutCamera() {
  return h("div", { class: "no-camera", data: { key: "no camera" } },
    h("p", {}, ui.fault ? ui.fault.message : ui.camera?.chosen ? "The camera shows nothing now. Photographs do as well." : "No camera is chosen. Photographs do as well: the die alone and whole, on plain ground, the face on top."),
    h("a", { class: "quiet", href: "/setup" }, "Set up a camera"));
}

function acts() {
  const live = seesCamera();
  const trying = ui.mode === "try";
  const name = face().label;
  return [
    live && !ui.mode && h("button", { type: "button", class: "primary", data: { do: "show", key: "show" } }, "Show it to the camera"),
    ui.mode && h("button", { type: "button", class: "primary", data: { do: "stop", key: "stop" } }, trying ? "Stop trying" : "Stop showing"),
    ui.mode === "faces" && h("button", { type: "button", class: "secondary", data: { do: "now", key: "now" } }, "Take it now"),
    !trying && h("label", { class: "upload", data: { key: "photo" } }, h("input", { type: "file", accept: "image/*", multiple: true, data: { change: "photo" } }), h("span", {}, `Photographs of the ${name}`)),
    set().dice.length > 0 && ui.mode === null && live && h("button", { type: "button", class: "secondary", data: { do: "try", key: "try" } }, "Try it: throw"),
    set().dice.length > 0 && h("label", { class: "upload", data: { key: "try photo" } }, h("input", { type: "file", accept: "image/*", data: { change: "tryPhoto" } }), h("span", {}, "Try a photograph")),
  ];
}

/* What is done */

async function load() {
  try {
    ({ sets: ui.sets } = await get("/die-sets"));
    ui.refusal = "";
  } catch (fault) {
    ui.refusal = fault.message;
  }
  render();
}

function say(text, wrong = false, more = {}) {
  ui.said = { ...more, text, wrong };
  ui.busy = "";
  announcer.say(text);
  render();
}

function taken(answer) {
  put(answer.set);
  const shown = face();
  ui.replaces = null;
  const next = nextFace(set(), ui.die, ui.asked);
  const done = shown.pictures.length >= WANTED;
  if (done && next !== null) turnTo(next);
  const then = done && next === null ? "Every face has its pictures: try it out." : `${asking(face(), null).title}.`;
  say(`Taken. ${then}`);
  if (done && next === null) lookAlike();
}

/** The set as the service has it now; one with no picture left is none. */
function put(changed) {
  ui.sets = [...ui.sets.filter((each) => each.name !== changed.name), ...(changed.dice.length > 0 || changed.fault ? [changed] : [])].sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function lookAlike() {
  ({ alike: ui.alike } = await get(`/die-sets/${ui.name}/alike`).catch(() => ({ alike: null })));
  render();
}

/** `what`: {look} of the camera, or {file}; with `insist` it is taken although it is doubtful. */
async function shoot(what, insist = false) {
  if (ui.busy) return;
  const shown = { die: ui.die, value: ui.asked, label: ui.label, replaces: ui.replaces, insist };
  ui.busy = "Looking at it.";
  ui.tried = null;
  render();
  try {
    const answer = what.file ? await upload(`/die-sets/${ui.name}/photo`, form(what.file, shown)) : await send(`/die-sets/${ui.name}/shots`, { holder: holding.holder, look: what.look, ...shown });
    if (answer.taken) taken(answer);
    else say(answer.says, true, { like: answer.like, insist: answer.firm ? null : what });
  } catch (fault) {
    say(fault.message, true);
  }
}

function form(file, shown) {
  const fields = new FormData();
  fields.append("photo", file);
  for (const [key, value] of Object.entries(shown)) if (value !== null) fields.append(key, String(value));
  return fields;
}

async function tryOut(what) {
  if (ui.busy) return;
  ui.busy = "Reading it.";
  render();
  try {
    const { dice } = what.file ? await upload(`/die-sets/${ui.name}/try/photo`, form(what.file, {})) : await send(`/die-sets/${ui.name}/try`, { look: what.look });
    ui.tried = dice;
    ui.said = null;
    ui.busy = "";
    announcer.say(dice.length === 0 ? "No die is seen." : dice.map(dieWords).join("; "));
    render();
  } catch (fault) {
    say(fault.message, true);
  }
}

function turnTo(value) {
  Object.assign(ui, { asked: value, label: "", replaces: null });
  const field = app.querySelector("input[name=label]");
  if (field) field.value = "";
}

/** The address names the set and the die, so that one can leave and go on later. */
function follow() {
  const [name = "", die = ""] = decodeURIComponent(location.hash.slice(1)).split("/");
  if (name === ui.name && (!name || die === ui.die)) return;
  if (name !== ui.name) { holding.end(); ui.mode = null; }
  Object.assign(ui, { name: NAME.test(name) ? name : "", said: null, tried: null, alike: null, forgetting: false, refusal: "" });
  const known = ui.sets?.find((each) => each.name === ui.name);
  ui.die = /^D(4|6|8|10|12|20|100)$/.test(die) ? die : (known?.dice[0]?.die ?? "D6");
  turnTo(nextFace(known, ui.die, null) ?? facesOf(known, ui.die)[0].value);
  render();
}

async function change(request) {
  try {
    put(await request);
    ui.said = null;
  } catch (fault) {
    say(fault.message, true);
  }
  render();
}

async function hold(mode) {
  try {
    await holding.begin(ui.camera);
    ui.mode = mode;
    ui.tried = null;
    say(mode === "try" ? "Throw the die." : `${asking(face(), ui.replaces).title}: lay the die in the tray, the face on top.`);
  } catch (fault) {
    say(fault.message, true);
  }
}

obey(app, {
  begin: (node) => {
    const name = new FormData(node).get("name").trim();
    ui.refusal = NAME.test(name) ? "" : "A set’s name is 1 to 32 small letters, digits and hyphens, such as skulls.";
    if (!ui.refusal) location.hash = name;
    render();
  },
  die: (node) => { location.hash = `${ui.name}/${node.value}`; },
  face: (node) => { turnTo(Number(node.dataset.value)); ui.said = null; announcer.say(`${asking(face(), null).title}.`); render(); },
  label: (node) => { ui.label = node.value.trim(); },
  again: (node) => { ui.replaces = ui.replaces === node.dataset.picture ? null : node.dataset.picture; render(); },
  remove: (node) => change(send(`/die-sets/${ui.name}/pictures/${node.dataset.picture}`, {}, { method: "DELETE" })),
  offer: (node) => change(send(`/die-sets/${ui.name}/offers/${node.dataset.picture}`, { take: node.dataset.take === "yes" })),
  use: () => change(send(`/die-sets/${ui.name}/use`, { on: !set().used })),
  forget: () => { ui.forgetting = true; render(); },
  keep: () => { ui.forgetting = false; render(); },
  forgetNow: async () => {
    try {
      ({ sets: ui.sets } = await send(`/die-sets/${ui.name}`, {}, { method: "DELETE" }));
      location.hash = "";
    } catch (fault) {
      ui.forgetting = false;
      say(fault.message, true);
    }
  },
  show: () => hold("faces"),
  try: () => hold("try"),
  stop: () => { holding.end(); ui.mode = null; ui.said = null; render(); },
  now: () => shoot({ look: ui.camera.look }),
  insist: () => shoot(ui.said.insist, true),
  hush: () => { ui.said = null; render(); },
  photo: async (node) => {
    const files = [...node.files];
    node.value = ""; // the same file may be chosen again
    const before = ui.asked;
    while (files.length > 0 && ui.asked === before) { // the rest would go to another face
      await shoot({ file: files.shift() });
      if (ui.said?.wrong) break;
    }
    if (files.length > 0) say(`${ui.said.text} ${files.length === 1 ? "One photograph was" : `${files.length} photographs were`} not looked at.`, ui.said.wrong, ui.said);
  },
  tryPhoto: (node) => { const [file] = node.files; node.value = ""; if (file) tryOut({ file }); },
});

addEventListener("hashchange", follow);
document.addEventListener("visibilitychange", () => {
  if (document.hidden) ui.mode = null; // nothing is drawn on the way out: a picture begun then is a ping to the browser
  else load();
});
load().then(() => { ui.name = " "; follow(); });
