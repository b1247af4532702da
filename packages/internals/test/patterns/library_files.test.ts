import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { checkLibraryJson } from "../../src/patterns/check_library_json.ts";
import { loadLibraryFromJson } from "../../src/patterns/json_load.ts";
import { freshFolder } from "../../../../test/fresh_folder.ts";

const pattern = (id: string): object => ({ id, agent_id: "agent", pattern_type: "t", name: "n" });
const METADATA = { saved_at: "2026-01-15T10:30:00", pattern_count: 1, version: "1.0" };

function file(text: string): string {
  const path = join(freshFolder(), "library.json");
  writeFileSync(path, text);
  return path;
}

it("counts the patterns of a library, and uses the given name of the file in errors", () => {
  const patterns = ["p", "q", "r"].map(pattern);
  const path = file(JSON.stringify({ patterns, agent_contributions: { agent: ["q"] }, metadata: METADATA }));
  expect(checkLibraryJson(path)).toBe(3);
  const doubled = file(JSON.stringify({ patterns: [...patterns, pattern("q")], metadata: METADATA }));
  expect(() => checkLibraryJson(doubled, "version 3")).toThrow(/^version 3: not a pattern library: .*"q"/);
  expect(() => checkLibraryJson(file("{"), "version 3")).toThrow(/^version 3:1:2: not valid JSON/);
  expect(() => checkLibraryJson(join(freshFolder(), "none"), "version 3")).toThrow(/^version 3: no such file\.$/);
});

it("takes the last of several members with the same name", () => {
  const [first, last] = ["p", "q"].map((id) => JSON.stringify([pattern(id)]));
  const metadata = JSON.stringify(METADATA);
  for (const text of [
    `{"patterns": ${first}, "metadata": ${metadata}, "patterns": ${last}}`,
    `{"patterns": {}, "metadata": ${metadata}, "patterns": ${last}}`,
    `{"patterns": ${first}, "patterns": ${last}, "metadata": 5, "metadata": ${metadata}}`,
    `{"patterns": ${last}, "agent_contributions": {"x": ["p"]}, "agent_contributions": null, "metadata": ${metadata}}`,
  ]) {
    const { patterns, agentContributions } = loadLibraryFromJson(file(text));
    expect([...patterns.keys()]).toEqual(["q"]);
    expect([...agentContributions]).toEqual([["agent", ["q"]]]);
  }
});
