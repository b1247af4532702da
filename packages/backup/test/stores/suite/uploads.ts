import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import type { ObjectStore, Upload } from "../../../src/stores/object_store.ts";
import { bytesIn, digest, foundIn, listed, uploadOf } from "./for_tests.ts";

/** Uploads in parts, and failed ones. */
export function describeUploads(store: () => ObjectStore, partSize: () => number): void {
  test("sends large objects in parts, and reports the progress", async () => {
    const bytes = randomBytes(2 * partSize() + 12_345);
    const reported: number[] = [];
    const upload = { ...uploadOf("uploads/parts", bytes), sent: (sent: number) => reported.push(sent) };
    expect(await store().add(upload)).toBe("added");
    expect(reported.at(-1)).toBe(bytes.length);
    expect(reported.length).toBeGreaterThan(1);
    expect(reported).toEqual(reported.toSorted((one, other) => one - other));
    expect(digest(await bytesIn(store(), upload.key))).toBe(digest(bytes));
    expect(await store().add(uploadOf(upload.key, randomBytes(2 * partSize())))).toBe("exists");
    expect(digest(await bytesIn(store(), upload.key))).toBe(digest(bytes));
  });

  test("holds at most two parts in memory", async () => {
    const bytes = Buffer.alloc(4 * partSize());
    let [held, most] = [0, 0];
    const upload: Upload = {
      ...uploadOf("uploads/held", bytes),
      read: async (start, length) => {
        held += 1;
        most = Math.max(most, held);
        return bytes.subarray(start, start + length);
      },
      sent: () => {
        held -= 1;
      },
    };
    expect(await store().add(upload)).toBe("added");
    expect([held, most <= 2]).toEqual([0, true]);
  });

  test.each(["one part", "some parts"])("stores nothing if the source cannot be read (%s)", async (parts) => {
    const bytes = Buffer.alloc(parts === "one part" ? 1000 : 3 * partSize());
    const key = `unreadable/${parts === "one part" ? 1 : 3}`;
    const problem = new Error("the disk is gone");
    const read: Upload["read"] = async (start, length) => {
      if (start + length === bytes.length) throw problem;
      return bytes.subarray(start, start + length);
    };
    await expect(store().add({ ...uploadOf(key, bytes), read })).rejects.toBe(problem);
    expect(await store().find(key)).toBeUndefined();
    expect(await listed(store(), "unreadable/")).toEqual([]);
    expect(await store().add(uploadOf(key, bytes))).toBe("added");
    await store().remove(key);
  });

  test.each(["one part", "some parts"])("stops at once, and leaves nothing visible (%s)", async (parts) => {
    const bytes = Buffer.alloc(parts === "one part" ? 1000 : 5 * partSize());
    const [enough, reason] = [new AbortController(), new Error("enough")];
    let reads = 0;
    const read: Upload["read"] = async (start, length) => {
      reads += 1;
      if (parts === "one part" || start > 0) enough.abort(reason);
      return bytes.subarray(start, start + length);
    };
    await expect(store().add({ ...uploadOf("aborted/x", bytes), read }, enough.signal)).rejects.toBe(reason);
    expect(reads).toBeLessThan(5);
    expect(await listed(store(), "aborted/")).toEqual([]);
    expect(await store().find("aborted/x")).toBeUndefined();
  });

  test("does nothing if the signal is already aborted", async () => {
    await store().add(uploadOf("stopped/there", Buffer.from("x")));
    const [found, reason] = [await foundIn(store(), "stopped/there"), new Error("never mind")];
    const signal = AbortSignal.abort(reason);
    await expect(store().add(uploadOf("stopped/new", Buffer.from("x")), signal)).rejects.toBe(reason);
    await expect(store().find("stopped/there", signal)).rejects.toBe(reason);
    await expect(store().read(found, 0, Buffer.alloc(1), signal)).rejects.toBe(reason);
    await expect(store().remove("stopped/there", signal)).rejects.toBe(reason);
    await expect(listed(store(), "stopped/", signal)).rejects.toBe(reason);
    expect((await listed(store(), "stopped/")).map(({ key }) => key)).toEqual(["stopped/there"]);
  });
}
