import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { LINES } from "./both_lines.ts";
import { freshFolder } from "../fresh_folder.ts";

const GOOD = {
  id: "p1",
  agent_id: "agent",
  pattern_type: "sequential",
  name: "Retry once",
  description: null,
  context: { tool: "search" },
  code: null,
  confidence: 0.5,
  usage_count: 0,
  success_count: 0,
  failure_count: 0,
  tags: ["a"],
  discovered_at: null,
  last_used: null,
};

describe.for(LINES)("a library with a pattern that cannot be saved, in $name", ({ line }) => {
  test.each([
    [{ confidence: Number.NaN }, "/confidence", /expected finite number or null, got NaN/],
    [{ confidence: Infinity }, "/confidence", /expected finite number or null, got Infinity/],
    [{ discovered_at: "2026-02-30T10:00:00" }, "/discovered_at", /of the calendar, got "2026-02-30T10:00:00"/],
    [{ last_used: "2026-02-03T24:00:00" }, "/last_used", /of the calendar, got "2026-02-03T24:00:00"/],
    [{ tags: "a" }, "/tags", /got "a"/],
    [{ id: "p2" }, undefined, /it is stored under "p1" but its id is "p2"/],
  ])("%j: the error names the pattern, the field and the found value", (change, pointer, reason) => {
    const directory = freshFolder();
    const library = new line.PatternLibrary();
    // Like a caller that changes the map itself: `add` would have refused it.
    library.patterns.set("p1", { ...GOOD, ...change } as never);
    for (const save of [
      () => line.PatternPersistence.saveToJson(library, join(directory, "library.json")),
      () => line.PatternPersistence.saveToSqlite(library, join(directory, "library.db")),
    ]) {
      expect(save).toThrow(reason);
      expect(save).toThrow(/^pattern "p1": .*Nothing was written to .*library\./);
      expect(save).toThrow(expect.objectContaining({ name: "ValidationError", pointer }));
    }
    expect(readdirSync(directory)).toEqual([]);
  });
});
