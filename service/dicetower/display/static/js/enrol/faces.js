/** The faces of a die as a set has them, and which one is asked for next. Pure. */

export const TYPES = ["D4", "D6", "D8", "D10", "D12", "D20", "D100"];
export const WANTED = 3; // pictures of a face: one is enough to be read, three see it turned and in other light

const TIMES = ["", "once more", "twice more", "three times"];

export function valuesOf(die) {
  if (die === "D100") return Array.from({ length: 10 }, (_, n) => n * 10);
  return Array.from({ length: Number(die.slice(1)) }, (_, n) => n + 1);
}

/** Every face of a die: those that the set has pictures of, and the rest empty. */
export function facesOf(set, die) {
  const kept = set?.dice.find((each) => each.die === die);
  return kept?.faces ?? valuesOf(die).map((value) => ({ value, label: String(value), pictures: [] }));
}

export function hasAll(set, die, least = 1) {
  return facesOf(set, die).every((face) => face.pictures.length >= least);
}

/** The face to be shown after `value`: the next that lacks pictures, from there on round; else null. */
export function nextFace(set, die, value) {
  const faces = facesOf(set, die);
  const from = Math.max(0, faces.findIndex((face) => face.value === value));
  const order = [...faces.slice(from), ...faces.slice(0, from)];
  return order.find((face) => face.pictures.length < WANTED)?.value ?? null;
}

/** "Show the 7" and "three times, turned a little each time". */
export function asking(face, again) {
  const left = Math.max(0, WANTED - face.pictures.length);
  const what = face.label === String(face.value) ? `the ${face.value}` : `the ${face.label}, which counts ${face.value}`;
  if (again) return { title: `Show ${what} again`, how: "The picture you chose is replaced as soon as a new one is good." };
  if (left === 0) return { title: `Show ${what}`, how: "It has all its pictures; another may help." };
  return { title: `Show ${what}`, how: left === 1 ? `${sentenceCase(TIMES[1])}, turned again.` : `${sentenceCase(TIMES[left])}, turned a little each time.` };
}

function sentenceCase(text) {
  return text[0].toUpperCase() + text.slice(1);
}

export function pictureUrl(name, picture) {
  return `/api/v1/die-sets/${name}/pictures/${picture}`;
}
