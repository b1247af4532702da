import { mulberry32 } from "../mulberry32.ts";

/** Numbers from 0 to 1 that look like chance, the same for the same seed and name. */
export function chanceOf(seed: number, name: string): () => number {
  let state = seed >>> 0;
  for (const character of name) state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 0x9e3779b1) >>> 0;
  return mulberry32(state);
}

/** One of a list, by chance. */
export function oneOf<Item>(items: readonly Item[], chance: () => number): Item {
  return items[Math.floor(chance() * items.length)] as Item;
}
