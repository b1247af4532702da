import { expect, it } from "vitest";
import { assertSavable } from "../../src/patterns/assert_savable.ts";
import { PatternLibrary } from "../../src/patterns/library.ts";

function library(): PatternLibrary {
  const made = new PatternLibrary();
  made.contribute("agent", { id: "p", pattern_type: "t", name: "n" });
  made.recordUsage("p", "agent", true);
  return made;
}

it("returns exactly the patterns that have to be completed", () => {
  const made = library();
  expect(assertSavable(made, "place")).toEqual(new Set());
  const bare = { id: "q", agent_id: "agent", pattern_type: "t", name: "n" };
  made.patterns.set("q", bare as never);
  expect(assertSavable(made, "place")).toEqual(new Set([bare]));
});

it.each([undefined, null, "library", {}, { patterns: new Map() }, { agentContributions: new Map() }, { patterns: {} }])(
  "refuses %j, which is not a library",
  (value) => {
    expect(() => assertSavable(value as never, "place")).toThrow(
      /^library: expected a PatternLibrary, got .*\. Nothing was written to place\.$/,
    );
  },
);

const USE = { pattern_id: "p", agent_id: "agent", success: true, used_at: "2026-01-15 10:30:00" };

it.each([
  [undefined, "pattern_id: expected"],
  [null, "pattern_id: expected"],
  [{ ...USE, agent_id: "" }, "agent_id: expected"],
  [{ ...USE, success: 1 }, "success: expected a boolean, got 1"],
  [{ ...USE, used_at: "yesterday" }, 'got "yesterday"'],
  [{ ...USE, used_at: 5 }, "got 5"],
  [{ ...USE, used_at: ["2026-01-15 10:30:00"] }, "used_at: expected"],
])("refuses the queued use %j", (use, fault) => {
  const made = library();
  made.pendingUsage.push(use as never);
  expect(() => assertSavable(made, "place")).toThrow(/^pendingUsage\[1\]: .*Nothing was written to place\.$/);
  expect(() => assertSavable(made, "place")).toThrow(fault);
});
