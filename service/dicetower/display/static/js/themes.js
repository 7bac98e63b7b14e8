/** The theme switch: auto (the system's), light or dark; kept in this browser. theme.js sets it at the start. */

export const THEMES = ["auto", "light", "dark"];

export function theme() {
  return document.documentElement.dataset.theme ?? "auto";
}

export function setTheme(name) {
  if (name === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = name;
  try {
    localStorage.setItem("dicetower theme", name);
  } catch {
    // storage can be forbidden; the choice then lasts as long as the page
  }
}

export function nextTheme() {
  const next = THEMES[(THEMES.indexOf(theme()) + 1) % THEMES.length];
  setTheme(next);
  return next;
}
