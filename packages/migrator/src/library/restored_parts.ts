import { pointerTo } from "@perdura/internals/json/values.js";
import type { Resolved } from "@perdura/internals/validity/decide_patterns.js";
import { type Edit, type Range, removals } from "../core/splice.ts";
import type { LibraryOutcome } from "./decide_library.ts";
import { type LibraryFindings, placesIn } from "./examine_library.ts";
import type { PresentLibrary, PresentPattern } from "./present_library.ts";

/**
 * Gives the fields of a repaired pattern their original texts; those that it did not have are removed.
 *
 * @param renamed Receives the JSON text of its present id with that of its former one, for {@link contributionsOf}.
 */
export function fieldEdits(
  findings: LibraryFindings,
  now: PresentLibrary,
  { invalid, id }: Resolved<number>,
  { item, fields }: { item: PresentPattern; fields: readonly string[] },
  renamed: Map<string, string>,
): Edit[] {
  const original = placesIn(findings.bytes, findings.places.items.at(invalid.key) as Range);
  const present = placesIn(now.bytes, item.range);
  const isIn = (field: string, { path }: { path: readonly string[] }): boolean =>
    path.length === 1 && path[0] === field;
  const former = new Map(fields.map((field) => [field, original.findLast((place) => isIn(field, place))]));
  const members = present.filter(({ path }) => path.length === 1);
  const whole = members.map(({ nameStart, end }) => ({ start: nameStart, end }));
  return [
    ...removals(whole, (index) => {
      const field = members[index]?.path[0] as string;
      return former.has(field) && former.get(field) === undefined;
    }),
    ...fields.flatMap((field): Edit[] => {
      const [from, to] = [former.get(field), present.findLast((place) => isIn(field, place))];
      if (from === undefined || to === undefined) return [];
      const text = findings.bytes.text(from);
      if (field === "id" && id !== undefined) renamed.set(JSON.stringify(id), text);
      return [{ start: to.start, end: to.end, text }];
    }),
  ];
}

/** Contributions follow patterns that get their former ids. */
export function contributionsOf(now: PresentLibrary, renamed: ReadonlyMap<string, string>): Edit[] {
  const member = now.places.members.findLast(({ name }) => name === "agent_contributions");
  if (member === undefined || renamed.size === 0) return [];
  return placesIn(now.bytes, member).flatMap(({ path, start, end }) => {
    const text = path.length === 2 ? renamed.get(now.bytes.text({ start, end })) : undefined;
    return text === undefined ? [] : [{ start, end, text }];
  });
}

/** Agents that got a name get their former one. */
export function namesOfAgents(now: PresentLibrary, { resolution }: LibraryOutcome): Edit[] {
  const member = now.places.members.findLast(({ name }) => name === "agent_contributions");
  const former = new Map([...resolution.agents].map(([raw, name]) => [name, raw]));
  if (member === undefined || former.size === 0) return [];
  return placesIn(now.bytes, member).flatMap(({ path, nameStart, nameEnd }) => {
    const raw = path.length === 1 ? former.get(path[0] as string) : undefined;
    return typeof raw === "string" ? [{ start: nameStart, end: nameEnd, text: JSON.stringify(raw) }] : [];
  });
}

/** Appends patterns of the original, byte for byte. */
export function additions({ bytes, places }: LibraryFindings, now: PresentLibrary, keys: readonly number[]): Edit[] {
  if (keys.length === 0) return [];
  const { items } = now.places;
  const [last, beforeLast] = [items.at(items.length - 1), items.at(items.length - 2)];
  const separator =
    last === undefined || beforeLast === undefined
      ? ",\n    "
      : now.bytes.text({ start: beforeLast.end, end: last.start });
  const texts = keys.map((key) => bytes.text(places.items.at(key) as Range));
  const place = last?.end ?? (now.places.patterns as Range).end - 1;
  const text = texts.join(separator);
  return [
    { start: place, end: place, text: last === undefined ? text : `${separator}${text}` },
    ...countEdits(now, keys.length),
  ];
}

function countEdits({ bytes, places }: PresentLibrary, added: number): Edit[] {
  const member = places.members.findLast(({ name }) => name === "metadata");
  const found = member === undefined ? [] : placesIn(bytes, member);
  const count = found.findLast(({ path }) => path.reduce(pointerTo, "") === "/pattern_count");
  if (count === undefined || bytes.text(count) !== String(places.items.length)) return [];
  return [{ start: count.start, end: count.end, text: String(places.items.length + added) }];
}
