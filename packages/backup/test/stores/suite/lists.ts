import { expect, test } from "vitest";
import type { ObjectStore } from "../../../src/stores/object_store.ts";
import { bytesIn, listed, uploadOf } from "./for_tests.ts";

/** Tests of keys of all kinds, and of their order in lists. */
export function describeLists(store: () => ObjectStore): void {
  /** No key is a folder of another, and none differs from another only by case. */
  const RARE = [
    "rare/-",
    "rare/_",
    "rare/~",
    "rare/%",
    "rare/.hidden",
    "rare/a..b",
    "rare/a%2Fb",
    "rare/a%2fc%",
    "rare/%00",
    "rare/%2e%2e/x",
    "rare/100%/y",
    "rare/a.b.c/d-e_f~g",
    "rare/007",
    "rare/1e5",
    "rare/true",
    "rare/null",
    "rare/0x10",
    "rare/Upper",
    "rare/lower",
    "rare/c-x",
    "rare/c.x",
    "rare/c/x",
    "rare/c0x",
    `rare/${"long".repeat(50)}/${"name".repeat(50)}`,
  ];

  test("finds all kinds of keys, and lists them in the order of their bytes", async () => {
    for (const [size, key] of RARE.entries())
      expect(await store().add(uploadOf(key, Buffer.alloc(size, key))), key).toBe("added");
    const expected = RARE.map((key, size) => ({ key, size }));
    expect(await listed(store(), "rare/")).toEqual(expected.toSorted((one, other) => (one.key < other.key ? -1 : 1)));
    for (const [size, key] of RARE.entries()) expect(await bytesIn(store(), key), key).toEqual(Buffer.alloc(size, key));
    await store().remove("rare/a%2Fb");
    expect((await listed(store(), "rare/a")).map(({ key }) => key)).toEqual([
      "rare/a%2fc%",
      "rare/a..b",
      "rare/a.b.c/d-e_f~g",
    ]);
  });

  test("lists keys with a prefix, which may end in the middle of a name", async () => {
    for (const key of ["lists/a/1", "lists/a/2", "lists/ab", "lists/b"])
      await store().add(uploadOf(key, Buffer.alloc(1)));
    const keys = async (prefix: string) => (await listed(store(), prefix)).map(({ key }) => key);
    expect(await keys("lists/a")).toEqual(["lists/a/1", "lists/a/2", "lists/ab"]);
    expect(await keys("lists/a/")).toEqual(["lists/a/1", "lists/a/2"]);
    expect(await keys("lists/nothing")).toEqual([]);
    expect(await keys("")).toEqual(expect.arrayContaining(["lists/ab", "lists/b"]));
  });
}
