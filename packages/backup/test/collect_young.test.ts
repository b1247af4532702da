import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, onTestFinished, test } from "vitest";
import { collectYoung } from "../src/transfer/collect_young.ts";

test("collects unused objects without exposing gc to other code", () => {
  const external = (): number => process.memoryUsage().arrayBuffers;
  // Otherwise another thread frees the memory some time later.
  setFlagsFromString("--no-concurrent-array-buffer-sweeping");
  onTestFinished(() => setFlagsFromString("--concurrent-array-buffer-sweeping"));
  collectYoung();
  const before = external();
  // Smaller than the size at which V8 collects immediately.
  const [buffers, size] = [100, 1 << 16];
  for (let count = 0; count < buffers; count += 1) Buffer.alloc(size);
  collectYoung();
  expect(external()).toBeLessThan(before + size);
  expect(globalThis.gc).toBeUndefined();
  expect(runInNewContext("globalThis.gc")).toBeUndefined();
});
