/** Text set to fill its line: the typeface's width axis first, then its size. */

const NARROWEST = 62; // percent: the ends of Archivo's width axis
const WIDEST = 125;
const SMALLEST_NAME = 0.4; // of its own size: the longest name that the interface takes, thirty wide letters, needs no less
const LOOSEST_EM = 0.45; // a short word is spaced out no further than still reads as one word

/** One line that fills its box: `data-fit="line"` on a box that holds one span. */
function fitLine(box) {
  const span = box.firstElementChild;
  const { width, height } = room(box);
  if (!span || width <= 0 || height <= 0) return;
  span.style.letterSpacing = "0px";
  span.style.marginRight = "0px";
  const size = (percent, px) => {
    span.style.fontStretch = `${percent}%`;
    span.style.fontSize = `${px}px`;
    return span.getBoundingClientRect().width;
  };
  const tallest = height / 0.74; // capitals are 0.69 em; the rest is air
  let low = NARROWEST;
  let high = WIDEST;
  if (size(low, tallest) >= width) {
    size(low, (tallest * width * 0.998) / size(low, tallest));
    return;
  }
  for (let turn = 0; turn < 9; turn += 1) {
    const middle = (low + high) / 2;
    if (size(middle, tallest) > width) high = middle;
    else low = middle;
  }
  const set = size(low, tallest);
  const gaps = span.textContent.length - 1;
  const widest = tallest * LOOSEST_EM;
  span.style.letterSpacing = `${Math.min(widest, Math.max(0, (width * 0.998 - set) / Math.max(1, gaps)))}px`;
  span.style.marginRight = `-${span.style.letterSpacing}`; // the space after the last letter
}

/** A name in its own size, `data-fit="name"`: where its style cuts it, it is narrowed, then made smaller. */
function fitName(box) {
  box.style.fontStretch = "";
  box.style.fontSize = "";
  const own = Number.parseFloat(getComputedStyle(box).fontSize);
  const isCut = () => box.scrollHeight > box.clientHeight + 2 || box.scrollWidth > box.clientWidth + 1;
  if (!isCut()) return;
  box.style.fontStretch = `${NARROWEST}%`;
  let low = SMALLEST_NAME;
  let high = 1;
  for (let turn = 0; turn < 7; turn += 1) {
    const middle = (low + high) / 2;
    box.style.fontSize = `${middle * own}px`;
    if (isCut()) high = middle;
    else low = middle;
  }
  box.style.fontSize = `${low * own}px`;
}

/** A sentence as large as its box allows, in as many lines as it needs: `data-fit="block"`. */
function fitBlock(box) {
  const inner = box.firstElementChild;
  if (inner) inner.style.fontSize = ""; // its room is what it has without the size that another window left
  const { width, height } = room(box);
  if (!inner || width <= 0 || height <= 0) return;
  const limit = Number(getComputedStyle(box).getPropertyValue("--fit-max")) || 400;
  let low = 8;
  let high = Math.min(height, limit * window.innerHeight / 100);
  for (let turn = 0; turn < 10; turn += 1) {
    const middle = (low + high) / 2;
    inner.style.fontSize = `${middle}px`;
    if (inner.scrollHeight > height + 1 || inner.scrollWidth > width + 1) high = middle;
    else low = middle;
  }
  inner.style.fontSize = `${low}px`;
}

function room(box) {
  const style = getComputedStyle(box);
  return {
    width: box.clientWidth - Number.parseFloat(style.paddingLeft) - Number.parseFloat(style.paddingRight),
    height: box.clientHeight - Number.parseFloat(style.paddingTop) - Number.parseFloat(style.paddingBottom),
  };
}

export function fitAll(root = document) {
  for (const box of root.querySelectorAll("[data-fit=name]")) fitName(box); // first: they leave the others their room
  for (const box of root.querySelectorAll("[data-fit=line]")) fitLine(box);
  for (const box of root.querySelectorAll("[data-fit=block]")) fitBlock(box);
}

/** Fit now, when the window changes, and when the typeface has come; `first` shares out the room before. */
export function keepFitted(root, first = () => {}) {
  const again = () => {
    first();
    fitAll(root);
  };
  window.addEventListener("resize", again);
  document.fonts?.ready.then(again);
  return again;
}
