import { describe, expect, test } from "vitest";
import { join } from "node:path";
import { LINES } from "./both_lines.ts";
import { freshFolder } from "../fresh_folder.ts";

describe.for(LINES)("PatternLibrary in $name", ({ line }) => {
  const { PatternLibrary, PatternPersistence } = line;

  test("refuses an exact number as a context", () => {
    const context = (JSON as unknown as { rawJSON(text: string): never }).rawJSON("12345678901234567890");
    const library = new PatternLibrary();
    expect(() => library.contribute("a", { id: "p", pattern_type: "t", name: "n", context })).toThrow(
      /context: expected object or null/,
    );
    expect(() => line.openPersistence(context)).toThrow(/config: expected an object/);
  });

  test("fills in the defaults and finds patterns by agent, type and tag", () => {
    const library = new PatternLibrary();
    library.contribute("a1", { id: "p1", pattern_type: "x", name: "one", tags: ["t", "t"] });
    library.contribute("a2", { id: "p2", agent_id: "a1", pattern_type: "y", name: "two", description: null });
    library.contribute("__proto__", { id: "constructor", pattern_type: "x", name: "three" });
    expect(library.size).toBe(3);
    expect(library.byAgent("a1").map(({ id }) => id)).toEqual(["p1", "p2"]);
    expect(library.byType("x").map(({ id }) => id)).toEqual(["p1", "constructor"]);
    expect(library.byTag("t").map(({ id }) => id)).toEqual(["p1"]);
    expect(library.get("constructor")?.confidence).toBe(0.5);
    expect(library.get("toString")).toBeUndefined();
    expect([...library.agentContributions]).toEqual([
      ["a1", ["p1"]],
      ["a2", ["p2"]],
      ["__proto__", ["constructor"]],
    ]);
    expect(library.counts()).toEqual({
      patterns: 3,
      by_agent: new Map([
        ["a1", 2],
        ["__proto__", 1],
      ]),
      by_type: new Map([
        ["x", 2],
        ["y", 1],
      ]),
      by_tag: new Map([["t", 1]]),
      pending_usage: 0,
    });
  });

  test("replaces a pattern in its place when it is contributed again", () => {
    const library = new PatternLibrary();
    for (const id of ["p1", "p2", "p1"]) library.contribute("a", { id, pattern_type: "x", name: `n${library.size}` });
    expect([...library.patterns.values()].map(({ name }) => name)).toEqual(["n2", "n1"]);
    expect(library.agentContributions.get("a")).toEqual(["p1", "p2"]);
  });

  test("raises the counters and the time of last use, never the confidence", () => {
    const library = new PatternLibrary({ clock: () => new Date("2026-05-06T07:08:09.999Z") });
    library.contribute("a", { id: "p", pattern_type: "x", name: "n", confidence: 0.25 });
    library.recordUsage("p", "b", true);
    library.recordUsage("p", "b", false);
    expect(library.get("p")).toMatchObject({
      usage_count: 2,
      success_count: 1,
      failure_count: 1,
      confidence: 0.25,
      last_used: "2026-05-06T07:08:09",
    });
    expect(library.pendingUsage[0]).toEqual({
      pattern_id: "p",
      agent_id: "b",
      success: true,
      used_at: "2026-05-06 07:08:09",
    });
  });

  test.for([
    [{ id: "" }, /id: expected text that is not empty/],
    [{ id: "a\0b" }, /without NUL/],
    [{ id: "\udc00" }, /lone surrogate/],
    [{ id: 7 }, /id: expected string, got 7/],
    [{ name: undefined }, /name: expected string|"name" is missing/],
    [{ confidence: Number.NaN }, /confidence/],
    [{ usage_count: 0.5 }, /usage_count/],
    [{ tags: "t" }, /tags: expected array or null/],
    [{ last_used: "2026-13-01T00:00:00" }, /last_used/],
    [{ context: [] }, /context: expected object or null/],
    [{ context: { deep: { x: undefined, y: Number.NaN } } }, /\/deep\/y/],
  ] as const)("refuses %j and is unchanged", ([fields, reason]) => {
    const library = new PatternLibrary();
    expect(() => library.contribute("a", { id: "p", pattern_type: "x", name: "n", ...fields } as never)).toThrow(
      reason,
    );
    expect(library.size).toBe(0);
    expect(library.agentContributions.size).toBe(0);
  });

  test("refuses uses of unknown patterns and invalid arguments", () => {
    const library = new PatternLibrary();
    library.contribute("a", { id: "p", pattern_type: "x", name: "n" });
    expect(() => library.recordUsage("q", "a", true)).toThrow(/no pattern "q"/);
    expect(() => library.recordUsage("p", "", true)).toThrow(/agentId/);
    expect(() => library.recordUsage("p", "a", 1 as never)).toThrow(/success: expected a boolean, got 1/);
    expect(library.get("p")?.usage_count).toBe(0);
    expect(library.pendingUsage).toEqual([]);
  });

  test("refuses a context nested deeper than 1000 levels", () => {
    let nested: Record<string, never> = {};
    for (let depth = 0; depth < 1001; depth += 1) nested = { n: nested } as never;
    const library = new PatternLibrary();
    expect(() => library.contribute("a", { id: "p", pattern_type: "x", name: "n", context: nested })).toThrow(
      /at most 1000 levels/,
    );
  });

  test("is validated again at save, since its fields can be changed in place", () => {
    const file = join(freshFolder(), "x.json");
    const library = new PatternLibrary();
    library.contribute("a", { id: "p", pattern_type: "x", name: "n" }).id = "other";
    expect(() => PatternPersistence.saveToJson(library, file)).toThrow(/stored under "p" but its id is "other"/);
    expect(() => PatternPersistence.saveToJson({} as never, file)).toThrow(/library: expected a PatternLibrary/);
  });
});
