import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { ObjectStore } from "../../../src/stores/object_store.ts";
import { bytesIn, expectStorageError, foundIn, uploadOf } from "./for_tests.ts";

/** Adding, finding, reading and removing objects of one part. */
export function describeObjects(store: () => ObjectStore): void {
  test("returns the bytes, size and metadata of an added object", async () => {
    const bytes = randomBytes(10_000);
    const upload = uploadOf("objects/one", bytes);
    expect(await store().find(upload.key)).toBeUndefined();
    expect(await store().add(upload)).toBe("added");
    const found = await foundIn(store(), upload.key);
    expect(found).toMatchObject({ key: upload.key, size: bytes.length });
    if (Object.keys(found.metadata).length > 0) expect(found.metadata).toEqual(upload.metadata);
    const ranges = fc.record({ start: fc.nat(bytes.length), length: fc.nat(bytes.length) });
    const property = fc.asyncProperty(ranges, async ({ start, length }) => {
      const end = Math.min(start + length, bytes.length);
      expect(await store().read(found, start, Buffer.alloc(end - start))).toEqual(bytes.subarray(start, end));
    });
    await fc.assert(property, { numRuns: 20 });
  });

  test("does not change an existing object", async () => {
    const first = uploadOf("objects/twice", Buffer.from("first"));
    expect(await store().add(first)).toBe("added");
    expect(await store().add(uploadOf(first.key, Buffer.from("the second")))).toBe("exists");
    expect(`${await bytesIn(store(), first.key)}`).toBe("first");
  });

  test("lets one of several concurrent uploads add an object", async () => {
    const uploads = Array.from({ length: 6 }, (_, index) => uploadOf("objects/race", Buffer.alloc(1000, index)));
    const answers = await Promise.all(uploads.map((upload) => store().add(upload)));
    expect(answers.filter((answer) => answer === "added")).toHaveLength(1);
    const winner = await uploads[answers.indexOf("added")]?.read(0, 1000);
    expect(await bytesIn(store(), "objects/race")).toEqual(winner);
  });

  test("keeps an empty object", async () => {
    expect(await store().add(uploadOf("objects/empty", Buffer.alloc(0)))).toBe("added");
    const found = await foundIn(store(), "objects/empty");
    expect(found.size).toBe(0);
    expect(await store().read(found, 0, Buffer.alloc(0))).toHaveLength(0);
  });

  test("removes an object, once or twice, and fails its readers", async () => {
    const upload = uploadOf("objects/removed", randomBytes(100));
    await store().add(upload);
    const found = await foundIn(store(), upload.key);
    await store().remove(upload.key);
    await store().remove(upload.key);
    expect(await store().find(upload.key)).toBeUndefined();
    await expectStorageError(store().read(found, 0, Buffer.alloc(100)), store().place);
    await store().add(uploadOf(upload.key, randomBytes(100)));
    await expectStorageError(store().read(found, 0, Buffer.alloc(100)), store().place);
    expect(await store().read(await foundIn(store(), upload.key), 0, Buffer.alloc(100))).toHaveLength(100);
  });

  test("refuses to read beyond the end of an object", async () => {
    await store().add(uploadOf("objects/short", randomBytes(10)));
    const found = await foundIn(store(), "objects/short");
    await expectStorageError(store().read(found, 5, Buffer.alloc(6)), store().place);
    await expectStorageError(store().read({ ...found, size: 20 }, 5, Buffer.alloc(10)), store().place);
  });
}
