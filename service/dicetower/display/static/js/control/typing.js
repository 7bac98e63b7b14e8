/** What a person types for a die: its value, whether more digits could follow, or why it cannot be. Pure. */

const SIDES = { D4: 4, D6: 6, D8: 8, D10: 10, D12: 12, D20: 20 };

export function sidesOf(die) {
  return SIDES[die] ?? 20;
}

/** {value, done, wrong}: `value` null while there is none; the face 0 of a D10 is 10 (ruling 8). */
export function typed(die, text) {
  const digits = text.trim();
  const sides = sidesOf(die);
  if (digits === "") return { value: null, done: false, wrong: "" };
  if (!/^\d+$/.test(digits)) return { value: null, done: false, wrong: `Type the number that the ${die} shows.` };
  if (digits === "0" && die === "D10") return { value: 10, done: true, wrong: "" };
  const value = Number(digits);
  if (value < 1 || value > sides) return { value: null, done: false, wrong: `A ${die} has no ${digits}; expected 1 to ${sides}.` };
  return { value, done: value * 10 > sides || digits.length > 1, wrong: "" };
}

export function faces(die) {
  return Array.from({ length: sidesOf(die) }, (_, index) => index + 1);
}
