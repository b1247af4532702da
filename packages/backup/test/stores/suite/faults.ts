import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import type { ObjectStore } from "../../../src/stores/object_store.ts";
import { bytesIn, digest, foundIn, listed, uploadOf } from "./for_tests.ts";

/** Faults that a store of a suite supports. */
export interface StoreFaults {
  /** The next request does not reach the server. */
  resetNext(): void;
  /** The n-th of the next requests is processed, but its answer is lost. */
  loseAnswer(n: number): void;
  /** True if there were fewer requests. Forgets the fault. */
  kept(): boolean;
  /** The server is overloaded for the next request. */
  throttleNext(): void;
  /** The next answer ends in the middle of its body. */
  truncateNext(): void;
  /**
   * A bit of the body of the next answer is flipped; absent if parts have no checksum of their own, and the core
   * detects it.
   */
  changeNext?(): void;
}

/** Tests of a store with a faulty network and server. */
export function describeFaults(store: () => ObjectStore, partSize: () => number, faults: () => StoreFaults): void {
  const breaks: [string, (faults: StoreFaults) => void][] = [
    ["connections that are reset", (bad) => bad.resetNext()],
    ["a server that is busy", (bad) => bad.throttleNext()],
    ["an answer that is lost", (bad) => bad.loseAnswer(1)],
  ];
  test.each(breaks)("all operations succeed in spite of %s", async (what, happens) => {
    const key = `faults/${what.replaceAll(/\W/g, "-")}`;
    for (const bytes of [randomBytes(1000), randomBytes(partSize() + 1)]) {
      happens(faults());
      expect(await store().add(uploadOf(key, bytes))).toBe("added");
      happens(faults());
      const found = await foundIn(store(), key);
      happens(faults());
      expect(digest(await store().read(found, 0, Buffer.alloc(bytes.length)))).toBe(digest(bytes));
      happens(faults());
      expect(await listed(store(), key)).toEqual([{ key, size: bytes.length }]);
      happens(faults());
      await store().remove(key);
      expect(await store().find(key)).toBeUndefined();
    }
  });

  test("all operations succeed whichever of their answers is lost", async () => {
    for (const bytes of [randomBytes(1000), randomBytes(2 * partSize() + 1)]) {
      const key = `faults/each-of-${bytes.length}`;
      const lists = async (): Promise<void> =>
        expect(await listed(store(), key)).toEqual([{ key, size: bytes.length }]);
      const adds = async (): Promise<void> => expect(await store().add(uploadOf(key, bytes))).toBe("added");
      for (const operation of [
        adds,
        async () => expect(digest(await bytesIn(store(), key))).toBe(digest(bytes)),
        lists,
        async () => store().remove(key),
      ])
        for (let n = 1, isOver = false; !isOver; n += 1) {
          // Each time with the same state before.
          if (operation === adds) await store().remove(key);
          else if ((await store().find(key)) === undefined) await adds();
          faults().loseAnswer(n);
          await operation();
          isOver = faults().kept();
        }
      expect(await store().find(key)).toBeUndefined();
    }
  });

  test("reads truncated or damaged data again", async () => {
    const bytes = randomBytes(partSize() + 1);
    await store().add(uploadOf("faults/read", bytes));
    const found = await foundIn(store(), "faults/read");
    for (const happens of [() => faults().truncateNext(), () => faults().changeNext?.()]) {
      happens();
      expect(digest(await store().read(found, 1, Buffer.alloc(bytes.length - 1)))).toBe(digest(bytes.subarray(1)));
    }
  });
}
