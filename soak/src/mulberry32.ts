/** Numbers from 0 to below 1 that look like chance, the same for the same beginning (the generator mulberry32). */
export function mulberry32(beginning: number): () => number {
  let state = beginning | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
