import { expect, test } from "vitest";
import { PartBuffers } from "../../../src/stores/remote/parts.ts";

test("reuses a buffer only after its task succeeded", async () => {
  const buffers = new PartBuffers(8);
  const offsets = async (length: number): Promise<number> => buffers.lend(length, async (place) => place.byteOffset);
  const first = await offsets(8);
  expect(await offsets(3)).toBe(first);
  expect(await buffers.lend(3, async (place) => place.length)).toBe(3);
  let late: Buffer | undefined;
  const failed = buffers.lend(8, (place) => {
    late = place;
    return Promise.reject(new Error("no"));
  });
  await expect(failed).rejects.toThrow("no");
  await buffers.lend(8, async (place) => {
    place.fill(1);
    // A late answer to the failed try.
    late?.fill(7);
    expect([...place]).toEqual([1, 1, 1, 1, 1, 1, 1, 1]);
    // Two concurrent loans have separate buffers.
    await buffers.lend(8, async (other) => void other.fill(9));
    expect([...place]).toEqual([1, 1, 1, 1, 1, 1, 1, 1]);
  });
});
