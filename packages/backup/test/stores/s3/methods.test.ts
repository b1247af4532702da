import { describe, expect, test } from "vitest";
import { bytes, contentOf, ELSEWHERE, errorOf, hashOf, keysOf, MIB, storeForAll, uploadOf } from "./opened_store.ts";

const UNUSUAL = ["~%/..%2F", "a%20b/%25", "a/-_.~/b.c", "a/..b/c.", "x/%/%%/%zz", "A/a", "Z", "_", "0/1"];

describe("a store on S3", () => {
  const on = storeForAll();

  test("adds an object, finds it, reads it whole and in parts, removes it", async () => {
    const data = bytes(100_000);
    const upload = uploadOf("m/one", data, { metadata: { upload: "u-1", "x-y": "a b=c;\"'" } });
    expect(await on.store.find("m/one")).toBeUndefined();
    const sent: number[] = [];
    expect(await on.store.add({ ...upload, sent: (count) => sent.push(count) })).toBe("added");
    expect(sent).toEqual([100_000]);
    const found = await on.store.find("m/one");
    expect(found).toMatchObject({ key: "m/one", size: 100_000, metadata: upload.metadata });
    if (found === undefined) return;
    expect(await contentOf(on.store, "m/one")).toEqual(data);
    for (const [start, length] of [
      [0, 1],
      [1, 99_999],
      [50_000, 100],
      [99_999, 1],
      [100_000, 0],
    ] as const)
      expect(
        (await on.store.read(found, start, Buffer.alloc(length))).equals(data.subarray(start, start + length)),
      ).toBe(true);
    await expect(on.store.read(found, 99_999, Buffer.alloc(2))).rejects.toMatchObject({ code: "PERDURA_STORAGE" });
    await on.store.remove("m/one");
    await on.store.remove("m/one");
    expect(await on.store.find("m/one")).toBeUndefined();
    expect((await errorOf(on.store.read(found, 0, Buffer.alloc(1)))).message).toContain(
      "cannot read m/one: the object was replaced or removed",
    );
  });

  test("adds and reads an empty object", async () => {
    expect(await on.store.add(uploadOf("m/empty", Buffer.alloc(0)))).toBe("added");
    expect(await on.store.find("m/empty")).toMatchObject({ size: 0 });
    expect(await contentOf(on.store, "m/empty")).toEqual(Buffer.alloc(0));
  });

  test("does not change an existing object, and reports a replaced one", async () => {
    await on.store.add(uploadOf("m/twice", Buffer.from("first")));
    const outcome = await on.store.add(uploadOf("m/twice", Buffer.from("second")));
    // A store that ignores conditions overwrites: version names are unique, so that this does not happen in practice.
    const outcomes = [["exists", "first"], ...(ELSEWHERE === undefined ? [] : [["added", "second"]])];
    expect(outcomes).toContainEqual([outcome, (await contentOf(on.store, "m/twice"))?.toString()]);
  });

  test("reads only the object that was found", async () => {
    await on.store.add(uploadOf("m/changed", Buffer.from("first")));
    const found = await on.store.find("m/changed");
    await on.store.remove("m/changed");
    await on.store.add(uploadOf("m/changed", Buffer.from("other")));
    if (found === undefined) throw new Error("it was not found");
    for (const length of [5, 2])
      expect((await errorOf(on.store.read(found, 0, Buffer.alloc(length)))).message).toContain(
        "cannot read m/changed: the object was replaced or removed",
      );
  });

  test("lists keys with any characters in the order of their bytes, page by page", async () => {
    const many = Array.from({ length: 1005 }, (_, index) => `n/${String(index).padStart(4, "0")}`);
    await on.addKeys(many);
    expect(await keysOf(on.store, "n/")).toEqual(many);
    const unusual = UNUSUAL.map((key) => `o/${key}`).sort();
    for (const key of unusual) await on.store.add(uploadOf(key, Buffer.from(key)));
    expect(await keysOf(on.store, "o/")).toEqual(unusual);
    expect(await keysOf(on.store, "o/a%")).toEqual(["o/a%20b/%25"]);
    expect(await keysOf(on.store, "n/100")).toEqual(many.slice(1000));
    expect(await keysOf(on.store, "nothing")).toEqual([]);
    for (const key of unusual) expect((await contentOf(on.store, key))?.toString()).toBe(key);
  });

  test("adds many parts with two in memory at a time", async () => {
    const data = bytes(20 * MIB + 12_345);
    let held = 0;
    let most = 0;
    const sent: number[] = [];
    const upload = uploadOf("m/large", data);
    const added = await on.store.add({
      ...upload,
      read: async (start, length) => {
        held += 1;
        most = Math.max(most, held);
        return upload.read(start, length);
      },
      sent: (count) => {
        held -= 1;
        sent.push(count);
      },
    });
    expect(added).toBe("added");
    expect(most).toBeLessThanOrEqual(2);
    expect(sent.at(-1)).toBe(data.length);
    expect(sent).toHaveLength(5);
    const found = await on.store.find("m/large");
    expect(found).toMatchObject({ size: data.length, metadata: upload.metadata });
    if (found === undefined) return;
    expect(hashOf(await on.store.read(found, 0, Buffer.alloc(data.length)))).toBe(hashOf(data));
    const across = await on.store.read(found, 5 * MIB - 10, Buffer.alloc(20));
    expect(across).toEqual(data.subarray(5 * MIB - 10, 5 * MIB + 10));
    expect(await on.store.add(uploadOf("m/large", data))).toBe("exists");
  });

  test("passes on an error of the caller's code unchanged, and stores nothing", async () => {
    const own = new Error("the file is gone");
    for (const size of [10, 12 * MIB]) {
      const upload = uploadOf("m/broken", bytes(size), { read: async () => Promise.reject(own) });
      expect(await errorOf(on.store.add(upload))).toBe(own);
    }
    const short = uploadOf("m/broken", bytes(10), { size: 11 });
    expect((await errorOf(on.store.add(short))).message).toContain(
      "the source changed during the upload: expected 11 bytes at offset 0, found 10. Nothing was stored.",
    );
    expect(await on.store.find("m/broken")).toBeUndefined();
  });
});
