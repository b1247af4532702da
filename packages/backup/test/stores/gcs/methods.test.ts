import fc from "fast-check";
import { expect, test } from "vitest";
import { bytesOf, describeWithGcs, listed, uploadOf } from "./target.ts";

const MIB = 1 << 20;

describeWithGcs("objects on Google Cloud Storage", (target) => {
  test("are added with their metadata, found and read", async () => {
    const store = await target.open();
    const upload = uploadOf("library/a.json", `{"a":1}`, {
      contentType: "application/json",
      metadata: { upload: "some-id", format: "16" },
    });
    expect(await store.find("library/a.json")).toBeUndefined();
    expect(await store.add(upload)).toBe("added");
    expect(upload.reported).toEqual([7]);
    const found = await store.find("library/a.json");
    expect(found).toMatchObject({ key: "library/a.json", size: 7, metadata: { upload: "some-id", format: "16" } });
    expect((await bytesOf(store, "library/a.json")).toString()).toBe(`{"a":1}`);
  });

  test("stay unchanged when another object is added", async () => {
    const store = await target.open({ partSize: 5 * MIB });
    await store.add(uploadOf("one", "first"));
    expect(await store.add(uploadOf("one", "second"))).toBe("exists");
    expect(await store.add(uploadOf("one", 6 * MIB))).toBe("exists");
    expect((await bytesOf(store, "one")).toString()).toBe("first");
  });

  test("are distinguished from those of other uploads by the id of the upload", async () => {
    const store = await target.open();
    const upload = uploadOf("mine", "bytes");
    expect(await store.add(upload)).toBe("added");
    expect(await store.add(upload)).toBe("added");
    expect(await store.add({ ...upload, metadata: {} })).toBe("exists");
  });

  test("may be empty", async () => {
    const store = await target.open();
    expect(await store.add(uploadOf("empty", ""))).toBe("added");
    expect(await store.find("empty")).toMatchObject({ size: 0 });
    expect(await bytesOf(store, "empty")).toEqual(Buffer.alloc(0));
    expect(await listed(store)).toEqual({ empty: 0 });
  });

  test("are sent and read in parts", async () => {
    const store = await target.open({ partSize: 5 * MIB + 1000 });
    const upload = uploadOf("large", 12 * MIB + 5, { metadata: { upload: "x", parts: "3" } });
    expect(await store.add(upload)).toBe("added");
    // Multiples of 256 KiB, and the remainder.
    expect(upload.reads).toEqual([`0+${5 * MIB}`, `${5 * MIB}+${5 * MIB}`, `${10 * MIB}+${2 * MIB + 5}`]);
    expect(upload.reported).toEqual([5 * MIB, 10 * MIB, 12 * MIB + 5]);
    const found = await store.find("large");
    expect(found).toMatchObject({ size: upload.size, metadata: { upload: "x", parts: "3" } });
    if (found === undefined) return;
    const parts = [
      await store.read(found, 0, Buffer.alloc(7 * MIB)),
      await store.read(found, 7 * MIB, Buffer.alloc(5 * MIB + 5)),
    ];
    expect(Buffer.concat(parts).equals(upload.bytes)).toBe(true);
    expect(await store.read(found, 100, Buffer.alloc(3))).toEqual(upload.bytes.subarray(100, 103));
    expect(await store.read(found, 100, Buffer.alloc(0))).toEqual(Buffer.alloc(0));
    expect((await store.read(found, 0, Buffer.alloc(found.size))).equals(upload.bytes)).toBe(true);
  });

  test("are not read after they were replaced or removed", async () => {
    const store = await target.open();
    await store.add(uploadOf("changing", "before"));
    const found = await store.find("changing");
    if (found === undefined) throw new Error("it must be there");
    await store.remove("changing");
    const gone = /cannot read changing: the object was replaced or removed/;
    await expect(store.read(found, 0, Buffer.alloc(6))).rejects.toThrow(gone);
    await expect(store.read(found, 1, Buffer.alloc(0))).rejects.toThrow(gone);
    await store.add(uploadOf("changing", "behind"));
    const other = /cannot read changing: the object was replaced or removed/;
    await expect(store.read(found, 0, Buffer.alloc(6))).rejects.toThrow(other);
    await expect(store.read(found, 1, Buffer.alloc(2))).rejects.toThrow(other);
    await expect(store.read(found, 1, Buffer.alloc(0))).rejects.toThrow(other);
  });

  test("are listed in the order of the bytes of their keys, below a prefix", async () => {
    const store = await target.open();
    const keys = ["a", "a/b", "a-b", "a.b", "a%2Fb", "a~", "A", "_", "a/..", "a//b", "z%"];
    for (const key of keys) await store.add(uploadOf(key, key));
    expect(Object.keys(await listed(store))).toEqual(keys.toSorted());
    expect(await listed(store, "a/")).toEqual({ "a/..": 4, "a//b": 4, "a/b": 3 });
    expect(await listed(store, "none")).toEqual({});
    for (const key of keys) expect((await bytesOf(store, key)).toString()).toBe(key);
  });

  test("may have all allowed characters in their keys", async () => {
    const store = await target.open();
    const letters = [..."abzABZ019/._-%~"].map((letter) => fc.constant(letter));
    const key = fc.string({ unit: fc.oneof(...letters), minLength: 1, maxLength: 40 });
    const comesBack = async (name: string): Promise<void> => {
      expect(await store.add(uploadOf(name, `of ${name}`))).toBe("added");
      expect((await bytesOf(store, name)).toString()).toBe(`of ${name}`);
      expect(await listed(store, name)).toEqual({ [name]: 3 + name.length });
      await store.remove(name);
      expect(await store.find(name)).toBeUndefined();
    };
    await fc.assert(fc.asyncProperty(key, comesBack), { numRuns: 30 });
  });

  test("are removed, also if they do not exist", async () => {
    const store = await target.open();
    await store.add(uploadOf("gone", "x"));
    await store.remove("gone");
    await store.remove("gone");
    expect(await listed(store)).toEqual({});
  });
});
