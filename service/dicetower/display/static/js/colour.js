/** Colour sums of WCAG 2: which ink can be read on a player's colour. */

/** "dark" or "light": the ink with the greater contrast on `colour` (#rrggbb). */
export function inkOn(colour) {
  const light = luminance(colour);
  return (light + 0.05) ** 2 > 1.05 * 0.05 * 1.35 ? "dark" : "light";
}

export function luminance(colour) {
  const [r, g, b] = channels(colour).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function channels(colour) {
  const found = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(colour ?? "");
  return found ? found.slice(1).map((hex) => Number.parseInt(hex, 16) / 255) : [0.5, 0.5, 0.5];
}
