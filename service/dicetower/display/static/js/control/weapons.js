/**
 * What may be declared, from the rule pack: each system with its own choices and no others. Pure.
 *
 * A draft is {system, range, armour_type, cover, size, kind, armour, infantry}: `kind` is "vehicle" or "infantry", and
 * the choices of the other systems are remembered, so that a press on a system never asks for what was said before.
 */

const CHOICES = [
  { key: "range", plural: "ranges", title: "Range" },
  { key: "armour_type", plural: "armour_types", title: "Armour type", unsaid: "standard" },
  { key: "cover", plural: "covers", title: "Cover", unsaid: "open" },
];

export const COVER_WORDS = { open: "open", soft: "soft cover", "dug-in": "dug-in", urban: "urban" };

/** The choices of a system against anything: [{key, title, values}], none of them empty. */
export function choicesOf(system) {
  return CHOICES.map(({ key, plural, title }) => ({ key, title, values: union(system.vehicle_conditions?.[plural], system.infantry_conditions?.[plural]) }))
    .filter(({ values }) => values.length > 0);
}

function union(...lists) {
  return [...new Set(lists.flatMap((list) => list ?? []))];
}

/** The firing table: systems in blocks by their first choice, in the pack's order. */
export function blocksOf(systems) {
  const blocks = new Map();
  for (const system of systems) {
    const [first = { key: "none", title: "Any range", values: [] }] = choicesOf(system);
    const block = blocks.get(first.key) ?? { key: first.key, title: first.title, columns: [], systems: [] };
    block.columns = union(block.columns, first.values);
    block.systems.push(system);
    blocks.set(first.key, block);
  }
  return [...blocks.values()];
}

/** What is chosen before anybody chose: the first system against a vehicle. */
export function firstDraft(systems) {
  const [system] = systems;
  const draft = { system: system.system, range: "medium", armour_type: "standard", cover: "open", size: 3, kind: "vehicle", armour: 3, infantry: null };
  return settled(draft, systems);
}

/** The draft that says what was declared; what it did not say stays as in `before`. */
export function draftOf(declared, before, systems) {
  const draft = { ...before, system: declared.system, size: declared.size, kind: declared.infantry ? "infantry" : "vehicle" };
  for (const { key, unsaid } of CHOICES) if (declared[key] ?? unsaid) draft[key] = declared[key] ?? unsaid;
  if (declared.armour) draft.armour = declared.armour;
  if (declared.infantry) draft.infantry = declared.infantry;
  return settled(draft, systems);
}

/** The draft with nothing in it that its system has not: the nearest that it has stands instead. */
export function settled(draft, systems) {
  const system = systems.find((each) => each.system === draft.system) ?? systems[0];
  const made = { ...draft, system: system.system };
  if (!system.sizes.includes(made.size)) made.size = system.sizes[0];
  if (made.kind === "vehicle" && system.armour.length === 0) made.kind = "infantry";
  if (made.kind === "infantry" && system.infantry.length === 0) made.kind = "vehicle";
  if (system.armour.length > 0 && !system.armour.includes(made.armour)) made.armour = system.armour[0];
  if (system.infantry.length > 0 && !system.infantry.some((team) => team.id === made.infantry)) made.infantry = (system.infantry[1] ?? system.infantry[0]).id;
  for (const { key, values } of choicesOf(system)) if (!values.includes(made[key])) [made[key]] = values;
  return made;
}

/** Whether the draft says no more and no less than what was declared. */
export function saysDeclared(draft, declared, systems) {
  const said = (each) => JSON.stringify(attackOf(each, systems));
  return said(draft) === said(draftOf(declared, draft, systems));
}

/** The attack as the interface takes it: of the choices only those that its rows against this target name. */
export function attackOf(draft, systems) {
  const system = systems.find((each) => each.system === draft.system);
  const conditions = system[`${draft.kind}_conditions`];
  const attack = { system: system.system, size: draft.size };
  attack[draft.kind === "vehicle" ? "armour" : "infantry"] = draft.kind === "vehicle" ? draft.armour : draft.infantry;
  for (const { key, plural, unsaid } of CHOICES) {
    const needed = key === "range" || (key === "cover" && conditions.needs_cover);
    if (conditions[plural].includes(draft[key]) && (needed || draft[key] !== unsaid)) attack[key] = draft[key];
  }
  return attack;
}
