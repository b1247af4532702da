import fc from "fast-check";
import type { Chance } from "./chance.ts";
import { hostileNumber, hostileText } from "./hostile_text.ts";
import { ANY_CHARACTER } from "../any_character.ts";

/** Values of JSON that are unexpected in their place. */
export function hostileValue(chance: Chance): unknown {
  switch (chance.below(10)) {
    case 0:
    case 1:
    case 2:
      return hostileText(chance);
    case 3:
    case 4:
      return hostileNumber(chance);
    case 5:
      return chance.pick([null, true, false, 0, -1, 1.5, [], {}, [[]], [null], ""]);
    case 6:
      return own([[hostileText(chance), chance.pick([1, "x", null, {}, []])]]);
    case 7:
      return own([
        ["__proto__", own([["polluted", true]])],
        [
          "constructor",
          own([
            ["prototype", own([["polluted", true]])],
            ["name", hostileText(chance)],
          ]),
        ],
      ]);
    case 8:
      return nested(chance, chance.pick([5, 50, 999, 1000, 1001, 3000]));
    default:
      return chance.made(ANYTHING);
  }
}

const ANYTHING = fc.jsonValue({ maxDepth: 4, stringUnit: ANY_CHARACTER });

/** An object with exactly these own properties, including names such as `__proto__`. */
export function own(members: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  for (const [key, value] of members)
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  return object;
}

/** Arrays or objects within each other. Our `JSON.stringify` does not reach the depth that a text can have. */
function nested(chance: Chance, depth: number): unknown {
  let value: unknown = chance.pick([0, "end", null]);
  const inArrays = chance.percent(50);
  for (let level = 0; level < depth; level += 1) value = inArrays ? [value] : { a: value };
  return value;
}

/** A value with this number of places changed. */
export function nearly(value: unknown, chance: Chance, changes: number): unknown {
  let changed = value;
  for (let count = 0; count < changes; count += 1) changed = changeSomewhere(changed, chance, 6);
  return changed;
}

function changeSomewhere(value: unknown, chance: Chance, depth: number): unknown {
  const size = typeof value === "object" && value !== null ? Object.keys(value).length : 0;
  if (size === 0 || depth === 0 || chance.percent(12)) return hostileValue(chance);
  if (Array.isArray(value)) {
    const at = chance.below(value.length);
    const items: unknown[] = [...(value as unknown[])];
    const way = chance.below(10);
    if (way === 0) items.splice(at, 1);
    else if (way === 1) items.splice(at, 0, items[at]);
    else if (way === 2) items.splice(at, 0, hostileValue(chance));
    else items[at] = changeSomewhere(items[at], chance, depth - 1);
    return items;
  }
  const members = Object.entries(value as object) as [string, unknown][];
  const at = chance.below(members.length);
  const member = members[at] as [string, unknown];
  const way = chance.below(10);
  if (way === 0) members.splice(at, 1);
  else if (way === 1) member[0] = hostileText(chance);
  else if (way === 2) members.push([hostileText(chance), hostileValue(chance)]);
  else if (way === 3) member[1] = (chance.pick(members) as [string, unknown])[1];
  else member[1] = changeSomewhere(member[1], chance, depth - 1);
  return own(members);
}
