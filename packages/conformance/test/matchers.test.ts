import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { match, MATCHERS } from "../src/matching/match.ts";
import { CaseFault, resolve, type Scope } from "../src/matching/scope.ts";
import type { JsonValue } from "../src/values/json_value.ts";

type Vector = { expected: unknown; actual: unknown; matches: boolean };
// Read as text: an import of JSON through a bundler loses the key __proto__.
const vectors = JSON.parse(readFileSync(new URL("matcher_vectors.json", import.meta.url), "utf8")) as Record<
  string,
  Vector[]
>;

const scope: Scope = {
  data: { five: 5, object: { a: 1, b: 2 }, nested: [{ $data: "five" }] },
  variables: new Map([["seven", 7]]),
  directory: "/case",
  began: Date.now(),
};
const differences = (expected: unknown, actual: unknown) =>
  match(resolve(expected as JsonValue, scope), actual as JsonValue, scope.began);

describe.each(Object.entries(vectors))("%s", (_name, rows) => {
  it.each(
    rows.map(
      (row) =>
        [
          JSON.stringify(row.expected),
          row.matches ? "matches" : "does not match",
          JSON.stringify(row.actual),
          row,
        ] as const,
    ),
  )("%s %s %s", (_expected, _verdict, _actual, row) => {
    expect(differences(row.expected, row.actual).length === 0).toBe(row.matches);
  });
});

describe("matchers", () => {
  it("each have vectors that match and vectors that do not", () => {
    for (const name of MATCHERS) {
      const rows = vectors[name] ?? [];
      expect([...new Set(rows.map((row) => row.matches))].toSorted(), name).toEqual([false, true]);
    }
  });

  it("accepts the current time in UTC or local time as recent", () => {
    const now = new Date().toISOString().slice(0, 19);
    expect(differences({ $timestamp: "seconds", recent: true }, now)).toEqual([]);
    expect(differences({ $timestamp: "sql", recent: true }, now.replace("T", " "))).toEqual([]);
  });

  it("reports the place and the difference", () => {
    expect(differences({ a: [{ "b/c": 1 }] }, { a: [{ "b/c": 2 }] })).toEqual([
      { at: "/a/0/b~1c", wanted: "1", got: 2 },
    ]);
    expect(differences({ a: 1 }, {})).toEqual([{ at: "/a", wanted: "1", got: undefined }]);
  });

  it("names the field that differs inside an array in any order", () => {
    const wanted = { $set: [{ id: "a", n: 1 }, { id: "b", n: 2 }, "x"] };
    expect(differences(wanted, ["x", { id: "b", n: 3 }, { id: "a", n: 1 }])).toEqual([
      { at: "/1/n", wanted: "2", got: 3 },
    ]);
    expect(
      differences(wanted, [
        { id: "b", n: 2 },
        { id: "a", n: 1 },
      ]),
    ).toEqual([
      { at: "", wanted: "3 items in any order", got: "2 items" },
      { at: "", wanted: '"x", at any index', got: undefined },
    ]);
    const item = (id: string, n: number) => ({ id, m: n, n });
    const found = differences({ $set: [item("a", 1), item("b", 9)] }, [item("b", 1), item("a", 2)]);
    // Not at the item with the fewest differences.
    expect(found.map(({ at }) => at)).toEqual(["/1/m", "/1/n", "/0/m", "/0/n"]);
  });

  it("accepts the current time of the adapter's zone", () => {
    const there = new Date().toLocaleString("sv-SE", { timeZone: "America/New_York" });
    expect(differences({ $timestamp: "sql", recent: true }, there)).toEqual([]);
    const elsewhere = new Date(Date.now() - 7_200_000).toISOString();
    expect(differences({ $timestamp: "any", recent: true }, elsewhere)).toHaveLength(1);
  });

  it("distinguishes UTC from local time if asked", () => {
    const now = new Date().toISOString().slice(0, 19);
    const there = new Date().toLocaleString("sv-SE", { timeZone: "America/New_York" }).replace(" ", "T");
    expect(differences({ $timestamp: "seconds", recent: true, utc: true }, now)).toEqual([]);
    expect(differences({ $timestamp: "any", recent: true, utc: true }, `${now}Z`)).toEqual([]);
    expect(differences({ $timestamp: "seconds", recent: true, utc: true }, there)).toEqual([
      { at: "", wanted: "the current time in UTC", got: there },
    ]);
  });

  it("compares thousands of items in any order, also where all differ", () => {
    const items = Array.from({ length: 3001 }, (_, index) => ({ id: `p${index}`, tags: ["a", "b"], n: index / 7 }));
    expect(differences({ $set: items }, items.toReversed())).toEqual([]);
    const changed = items.map((item) => ({ ...item, n: -1 }));
    const found = differences({ $set: items }, changed);
    expect(found).toHaveLength(51);
    expect(found[0]).toEqual({ at: "/0/n", wanted: "0", got: -1 });
    expect(found.at(-1)).toMatchObject({ got: "2951 more missing items" });
    expect(differences({ $set: items }, items.slice(1))).toEqual([
      { at: "", wanted: "3001 items in any order", got: "3000 items" },
      { at: "", wanted: `${JSON.stringify(items[0])}, at any index`, got: undefined },
    ]);
  });

  it("refuses unknown names", () => {
    expect(() => differences({ $data: "toString" }, 1)).toThrow(CaseFault);
    expect(() => differences({ $var: "none" }, 1)).toThrow(CaseFault);
    expect(() => differences({ $regex: "." }, 1)).toThrow(CaseFault);
  });
});
