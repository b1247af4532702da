import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { collectYoung } from "../src/transfer/collect_young.ts";

test("what is not used any more is given up, and nobody gets a function for it", async () => {
  const external = (): number => process.memoryUsage().arrayBuffers;
  collectYoung();
  const before = external();
  // Smaller than what V8 collects by itself at once.
  for (let count = 0; count < 100; count += 1) Buffer.alloc(1 << 16);
  // Memory is given back when the event loop has turned.
  for (let turns = 0; external() > before + (1 << 20) && turns < 100; turns += 1) {
    collectYoung();
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(external()).toBeLessThan(before + (1 << 20));
  expect(globalThis.gc).toBeUndefined();
  expect(runInNewContext("globalThis.gc")).toBeUndefined();
});
