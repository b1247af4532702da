import { expect, test } from "vitest";
import type { ObjectStore } from "../../../src/stores/object_store.ts";
import { bytesIn, listed, uploadOf } from "./for_tests.ts";

/** Tests of keys of all kinds, and of their order in lists. */
export function describeLists(store: () => ObjectStore): void {
  /** No key is a folder of another, and none differs from another only by case. */
  const ODD = [
    "odd/-",
    "odd/_",
    "odd/~",
    "odd/%",
    "odd/.hidden",
    "odd/a..b",
    "odd/a%2Fb",
    "odd/a%2fc%",
    "odd/%00",
    "odd/%2e%2e/x",
    "odd/100%/y",
    "odd/a.b.c/d-e_f~g",
    "odd/007",
    "odd/1e5",
    "odd/true",
    "odd/null",
    "odd/0x10",
    "odd/Upper",
    "odd/lower",
    "odd/c-x",
    "odd/c.x",
    "odd/c/x",
    "odd/c0x",
    `odd/${"long".repeat(50)}/${"name".repeat(50)}`,
  ];

  test("finds all kinds of keys, and lists them in the order of their bytes", async () => {
    for (const [size, key] of ODD.entries())
      expect(await store().add(uploadOf(key, Buffer.alloc(size, key))), key).toBe("added");
    const expected = ODD.map((key, size) => ({ key, size }));
    expect(await listed(store(), "odd/")).toEqual(expected.toSorted((one, other) => (one.key < other.key ? -1 : 1)));
    for (const [size, key] of ODD.entries()) expect(await bytesIn(store(), key), key).toEqual(Buffer.alloc(size, key));
    await store().remove("odd/a%2Fb");
    expect((await listed(store(), "odd/a")).map(({ key }) => key)).toEqual([
      "odd/a%2fc%",
      "odd/a..b",
      "odd/a.b.c/d-e_f~g",
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
