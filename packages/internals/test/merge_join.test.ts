import fc from "fast-check";
import { expect, test } from "vitest";
import { inBatches } from "../src/rows/in_batches.ts";
import { mergeJoin } from "../src/rows/merge_join.ts";

async function* later<Row>(batches: Iterable<Row[]>): AsyncGenerator<Row[], void> {
  for (const batch of batches) yield Promise.resolve(batch);
}

const sorted = fc.uniqueArray(fc.nat(50)).map((ids) => ids.toSorted((one, other) => one - other));

test("pairs the rows of any two sources by their keys, in order", async () => {
  await fc.assert(
    fc.asyncProperty(sorted, sorted, fc.integer({ min: 1, max: 7 }), async (left, right, size) => {
      const pairs: [number | undefined, number | undefined][] = [];
      await mergeJoin(
        inBatches(left, size),
        later(inBatches(right, size)),
        (one, other) => one - other,
        (one, other) => pairs.push([one, other]),
      );
      const all = [...new Set([...left, ...right])].toSorted((one, other) => one - other);
      const expected = all.map((id) => [left.find((one) => one === id), right.find((one) => one === id)]);
      expect(pairs).toEqual(expected);
    }),
  );
});

test("ends both sources after an error", async () => {
  const ended: string[] = [];
  function* source(name: string): Generator<number[], void> {
    try {
      for (let id = 0; ; id += 1) yield [id];
    } finally {
      ended.push(name);
    }
  }
  const joining = mergeJoin(
    source("left"),
    source("right"),
    (one, other) => one - other,
    (one) => {
      if (one === 5) throw new Error("stop here");
    },
  );
  await expect(joining).rejects.toThrow("stop here");
  expect(ended).toEqual(["left", "right"]);
});
