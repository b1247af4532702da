import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { LINES } from "./both_lines.ts";
import { freshFolder } from "../fresh_folder.ts";

describe.for(LINES)("libraries that were changed in place, in $name", ({ line }) => {
  const { PatternLibrary, PatternPersistence } = line;

  function library(...ids: string[]) {
    const made = new PatternLibrary();
    for (const id of ids) made.contribute("a", { id, pattern_type: "t", name: "n" });
    return made;
  }

  test.for([
    [
      "a key that is not text",
      (contributions: Map<unknown, unknown>) => contributions.set(5, ["p"]),
      /agentContributions of 5: agent id: expected text, got 5/,
    ],
    [
      "an undefined key",
      (contributions: Map<unknown, unknown>) => contributions.set(undefined, ["p"]),
      /agent id: expected text, got undefined/,
    ],
    [
      "an empty agent id",
      (contributions: Map<unknown, unknown>) => contributions.set("", ["p"]),
      /agent id: expected text that is not empty/,
    ],
    [
      "an array with a hole",
      (contributions: Map<unknown, unknown>) => contributions.set("b", Array(2)),
      /pattern id 0: expected text, got undefined/,
    ],
    ["an id with NUL", (contributions: Map<unknown, unknown>) => contributions.set("b", ["\0"]), /pattern id 0: .*NUL/],
    [
      "text instead of an array",
      (contributions: Map<unknown, unknown>) => contributions.set("b", "p"),
      /expected an array of pattern ids, got "p"/,
    ],
  ] as const)("contributions with %s are refused and the file is unchanged", ([, spoil, reason]) => {
    const file = join(freshFolder(), "x.json");
    writeFileSync(file, "old");
    const spoilt = library("p");
    spoil(spoilt.agentContributions);
    expect(() => PatternPersistence.saveToJson(spoilt, file)).toThrow(reason);
    expect(readFileSync(file, "utf8")).toBe("old");
  });

  test("contributions in a file are validated in the same way, and null equals absent", () => {
    const file = join(freshFolder(), "x.json");
    writeFileSync(file, '{"patterns": [], "agent_contributions": {"a": [""]}}');
    expect(() => PatternPersistence.loadFromJson(file)).toThrow(
      expect.objectContaining({ name: "ValidationError", pointer: "/agent_contributions/a" }),
    );
    writeFileSync(
      file,
      '{"patterns": [{"id":"p","agent_id":"a","pattern_type":"t","name":"n"}], "agent_contributions": null, "metadata": null}',
    );
    expect(PatternPersistence.loadFromJson(file).agentContributions).toEqual(new Map([["a", ["p"]]]));
  });

  test.for([
    [{ agent_id: "\ud800" }, /pendingUsage\[0\]: agent_id: .*lone surrogate/],
    [{ agent_id: undefined }, /pendingUsage\[0\]: agent_id: expected text/],
    [{ success: "no" }, /pendingUsage\[0\]: success: expected a boolean, got "no"/],
    [{ used_at: "now" }, /pendingUsage\[0\]: used_at: expected a zone-less/],
  ] as const)("a queued use with %j is refused and stays queued", ([fields, reason]) => {
    const path = join(freshFolder(), "x.db");
    const spoilt = library("p");
    spoilt.recordUsage("p", "a", true);
    Object.assign(spoilt.pendingUsage[0] as object, fields);
    expect(() => PatternPersistence.saveToSqlite(spoilt, path)).toThrow(reason);
    expect(spoilt.pendingUsage).toHaveLength(1);
  });

  test("a queued use of a removed pattern stays queued in a merge, and is dropped in a replace", () => {
    const path = join(freshFolder(), "x.db");
    const used = library("p", "q");
    used.recordUsage("q", "a", true);
    used.remove("q");
    expect(used.agentContributions.get("a")).toEqual(["p"]);
    expect(PatternPersistence.saveToSqlite(used, path, {})).toMatchObject({ usageRows: 0, removedUsageRows: 0 });
    expect(used.pendingUsage).toHaveLength(1);
    expect(PatternPersistence.saveToSqlite(used, path, { mode: "replace" })).toMatchObject({
      usageRows: 0,
      removedUsageRows: 1,
    });
    expect(used.pendingUsage).toEqual([]);
  });

  test("a queue of 200000 uses is kept by a merge that cannot write them", () => {
    const path = join(freshFolder(), "x.db");
    const used = library("p", "q");
    for (let use = 0; use < 200_000; use += 1) used.recordUsage("q", "a", true);
    used.remove("q");
    PatternPersistence.saveToSqlite(used, path);
    expect(used.pendingUsage).toHaveLength(200_000);
  });

  test("a pattern that is removed and contributed again is listed once", () => {
    const changed = library("p", "q");
    expect([changed.remove("p"), changed.remove("p")]).toEqual([true, false]);
    changed.contribute("a", { id: "p", pattern_type: "t", name: "n" });
    changed.patterns.delete("q");
    changed.contribute("a", { id: "q", pattern_type: "t", name: "n" });
    expect(changed.agentContributions.get("a")).toEqual(["q", "p"]);
  });

  test.for([
    [() => new Date(Number.NaN), /clock: .*it returned an object of class Date/],
    [() => new Date("+010000-01-01T00:00:00Z"), /years 1 to 9999/],
    [Date.now, /it returned \d+/],
  ] as const)("an invalid clock changes nothing and writes nothing", ([clock, reason]) => {
    const directory = freshFolder();
    const timed = new PatternLibrary({ clock: clock as () => Date });
    timed.contribute("a", { id: "p", pattern_type: "t", name: "n" });
    const before = structuredClone(timed.get("p"));
    expect(() => timed.recordUsage("p", "a", true)).toThrow(reason);
    expect(timed.get("p")).toEqual(before);
    expect(timed.pendingUsage).toEqual([]);
    expect(() => PatternPersistence.saveToJson(timed, join(directory, "x.json"))).toThrow(reason);
    expect(readdirSync(directory)).toEqual([]);
  });

  test("unknown and invalid options are refused", () => {
    expect(() => new PatternLibrary({ clok: () => new Date() } as never)).toThrow(
      /unknown option "clok"; expected one of clock/,
    );
    expect(() => new PatternLibrary({ clock: 5 } as never)).toThrow(/clock: expected a function/);
    expect(() => new PatternLibrary(null as never)).toThrow(/options: expected an object, got null/);
  });

  test("a bigint stays a number where a polyfill gives it toJSON, and values with toJSON are refused", () => {
    const file = join(freshFolder(), "x.json");
    const prototype = BigInt.prototype as { toJSON?: () => string };
    prototype.toJSON = function toJSON(this: bigint) {
      return this.toString();
    };
    try {
      const big = new PatternLibrary();
      big.contribute("a", { id: "p", pattern_type: "t", name: "n", context: { n: 12345678901234567890n } });
      PatternPersistence.saveToJson(big, file);
      expect(readFileSync(file, "utf8")).toContain('"n": 12345678901234567890');
    } finally {
      delete prototype.toJSON;
    }
    const disguised = Object.assign([1], { toJSON: () => "x" });
    expect(() =>
      new PatternLibrary().contribute("a", { id: "p", pattern_type: "t", name: "n", context: { disguised } }),
    ).toThrow(/\/disguised/);
  });

  test("JSON and SQLite accept the same depth of nesting", () => {
    const directory = freshFolder();
    let context: Record<string, never> = {};
    for (let depth = 1; depth < 1000; depth += 1) context = { n: context } as never;
    const deep = new PatternLibrary();
    deep.contribute("a", { id: "p", pattern_type: "t", name: "n", context });
    PatternPersistence.saveToSqlite(deep, join(directory, "x.db"));
    PatternPersistence.saveToJson(
      PatternPersistence.loadFromSqlite(join(directory, "x.db")),
      join(directory, "x.json"),
    );
    expect(JSON.stringify(PatternPersistence.loadFromJson(join(directory, "x.json")).get("p")?.context)).toBe(
      JSON.stringify(context),
    );
  });
});
