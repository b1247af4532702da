/**
 * The order in which cases are run: that of the ids, or a shuffled one that the seed alone decides. Shuffling shows
 * cases that depend on each other; verdicts are reported in the order of the ids either way.
 * @param seed a whole number; null for no shuffling.
 */
export function inOrder<Item>(items: readonly Item[], seed: number | null): Item[] {
  const order = [...items];
  if (seed === null) return order;
  const random = mulberry32(seed);
  for (let last = order.length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    [order[last], order[other]] = [order[other] as Item, order[last] as Item];
  }
  return order;
}

/** A small generator with one 32-bit number of state: the same numbers on every machine. */
function mulberry32(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
