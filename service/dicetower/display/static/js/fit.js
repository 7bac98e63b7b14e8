/** Text set to fill its line: the typeface's width axis first, then its size. */

const NARROWEST = 62; // percent: the ends of Archivo's width axis
const WIDEST = 125;
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

/** A sentence as large as its box allows, in as many lines as it needs: `data-fit="block"`. */
function fitBlock(box) {
  const inner = box.firstElementChild;
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
