/**
 * The page is drawn from the state: `h` builds the wanted tree, `draw` makes the shown tree equal to it and leaves
 * alone what is equal already, so that focus, a half-typed number and a running animation survive every event.
 * Handlers are never put on nodes; `data-do` names an action and one listener at the root finds it.
 */

const SVG = "http://www.w3.org/2000/svg";
const SVG_TAGS = new Set(["svg", "g", "path", "polygon", "circle", "rect", "line", "text", "defs", "pattern", "title"]);

/** An element. `props`: attributes; `class`, `data` (object), `vars` (custom properties), `value`, `checked` are special. */
export function h(tag, props, ...children) {
  const node = SVG_TAGS.has(tag) ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(props ?? {})) if (name !== "value") set(node, name, value);
  node.append(...children.flat(9).filter((child) => child !== null && child !== undefined && child !== false && child !== ""));
  if (props && "value" in props) give(node, props.value); // a select takes its value only once it has its options
  return node;
}

function set(node, name, value) {
  if (value === null || value === undefined || value === false) return;
  if (name === "data") for (const [key, item] of Object.entries(value)) { if (item !== null && item !== undefined) node.dataset[key] = item; }
  else if (name === "vars") for (const [key, item] of Object.entries(value)) node.style.setProperty(`--${key}`, item);
  else if (name === "checked") node.checked = value;
  else node.setAttribute(name, value === true ? "" : String(value));
}

const given = new WeakSet(); // fields whose value the state says; what is typed into the others is left alone

function give(node, value) {
  if (value === null || value === undefined) return;
  node.value = value;
  given.add(node);
}

/** Make `root` hold exactly `wanted` (a node or a list). */
export function draw(root, ...wanted) {
  children(root, wanted.flat(9).filter(Boolean));
}

function key(node) {
  return node.nodeType === Node.ELEMENT_NODE ? (node.dataset?.key ?? null) : null;
}

function alike(old, wanted) {
  return old.nodeName === wanted.nodeName && key(old) === key(wanted) && old.type === wanted.type;
}

function children(parent, wanted) {
  const wantedKeys = new Set(wanted.map(key));
  for (const node of [...parent.children]) if (key(node) && !wantedKeys.has(key(node))) node.remove();
  const keyed = new Map([...parent.children].filter(key).map((node) => [key(node), node]));
  let at = parent.firstChild;
  for (const node of wanted) {
    const kept = key(node) ? keyed.get(key(node)) : null;
    if (kept && alike(kept, node)) {
      if (kept !== at) parent.insertBefore(kept, at);
      else at = at.nextSibling;
      same(kept, node);
    } else if (at && !key(at) && !key(node) && alike(at, node)) {
      const next = at.nextSibling;
      same(at, node);
      at = next;
    } else {
      parent.insertBefore(node, at);
    }
  }
  while (at) {
    const next = at.nextSibling;
    at.remove();
    at = next;
  }
}

function same(old, wanted) {
  if (old.nodeType !== Node.ELEMENT_NODE) {
    if (old.nodeValue !== wanted.nodeValue) old.nodeValue = wanted.nodeValue;
    return;
  }
  attributes(old, wanted);
  if (old.dataset?.own !== undefined) return; // its inside belongs to a script (a fitted line)
  children(old, [...wanted.childNodes]);
  if (given.has(wanted) && old.value !== wanted.value) old.value = wanted.value;
  if ("checked" in wanted && old.checked !== wanted.checked) old.checked = wanted.checked;
}

function attributes(old, wanted) {
  for (const { name, value } of [...wanted.attributes]) {
    if (name !== "style" && old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  for (const { name } of [...old.attributes]) {
    const kept = name === "style" || (name === "open" && old.nodeName === "DIALOG");
    if (!kept && !wanted.hasAttribute(name)) old.removeAttribute(name);
  }
  // The style attribute is closed by the content policy; its object is not.
  if (wanted.style && old.dataset?.fit === undefined && old.style.cssText !== wanted.style.cssText) old.style.cssText = wanted.style.cssText;
}

/** One listener a kind of event: `actions[data-do]` is called with the element and the event. */
export function obey(root, actions) {
  const run = (event, attribute) => {
    const node = event.target instanceof Element ? event.target.closest(`[${attribute}]`) : null;
    if (!node || !root.contains(node) || node.getAttribute("aria-disabled") === "true") return;
    const action = actions[node.getAttribute(attribute)];
    if (action) action(node, event);
  };
  root.addEventListener("click", (event) => run(event, "data-do"));
  root.addEventListener("change", (event) => run(event, "data-change"));
  root.addEventListener("input", (event) => run(event, "data-input"));
  root.addEventListener("keydown", (event) => run(event, "data-key-down"));
  root.addEventListener("submit", (event) => {
    event.preventDefault();
    run(event, "data-submit");
  });
}
