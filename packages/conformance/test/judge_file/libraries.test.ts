import { describe, expect, it } from "vitest";
import { brief, checkText } from "./hand_made.ts";
import { freshFolder } from "../../../../test/fresh_folder.ts";

const folder = freshFolder();
const PATTERN = { id: "p1", agent_id: "a", pattern_type: "t", name: "n" };
const LIBRARY = {
  patterns: [PATTERN],
  agent_contributions: { a: ["p1"] },
  metadata: { saved_at: "2025-12-01T21:36:57", pattern_count: 1, version: "1.0" },
};
const check = (library: object) => brief(checkText(folder, JSON.stringify(library)));

describe("a pattern library", () => {
  it.each([
    [{ metadata: undefined }, ["error R-2.4/top-level "]],
    [{ metadata: null }, ["error R-2.4/top-level /metadata"]],
    [{ agent_contributions: undefined }, ["error R-2.4/top-level "]],
    [{ agent_contributions: { a: ["p1", "gone"] } }, ["remark U-contributions /agent_contributions/a/1"]],
    [{ agent_contributions: { a: ["p1", 5] } }, ["error R-2.4/agent-contributions /agent_contributions/a/1"]],
    [
      { agent_contributions: { "a/~b": "p1" } },
      ["error R-2.4/agent-contributions /agent_contributions/a~1~0b", "remark U-contributions /patterns/0/agent_id"],
    ],
    [{ agent_contributions: { other: ["p1"] } }, ["remark U-contributions /patterns/0/agent_id"]],
    [{ agent_contributions: { a: ["p1"], "": [] } }, ["remark U-text /agent_contributions/"]],
    [{ exported: true }, ["error R-2.4/top-level /exported"]],
    [{ metadata: {} }, ["saved_at", "pattern_count", "version"].map(() => "error R-2.4/metadata /metadata")],
    [{ metadata: { ...LIBRARY.metadata, pattern_count: 2 } }, ["error R-2.4/pattern-count /metadata/pattern_count"]],
    [{ metadata: { ...LIBRARY.metadata, pattern_count: "1" } }, ["error R-2.4/pattern-count /metadata/pattern_count"]],
    [{ metadata: { ...LIBRARY.metadata, saved_at: "now" } }, ["error R-2.4/saved-at /metadata/saved_at"]],
    [
      { metadata: { ...LIBRARY.metadata, saved_at: "2025-12-01T21:36:57+01:00" } },
      ["remark U-timestamps /metadata/saved_at"],
    ],
    [{ metadata: { ...LIBRARY.metadata, version: 1 } }, ["error R-2.4/version /metadata/version"]],
    [{ metadata: { ...LIBRARY.metadata, version: "1.7" } }, ["error R-9/file-version /metadata/version"]],
    [{ metadata: { ...LIBRARY.metadata, version: "10" } }, ["error R-9/file-version /metadata/version"]],
    [{ metadata: { ...LIBRARY.metadata, tool: "x" } }, ["remark U-format-version /metadata/tool"]],
  ])("with %j", (change, findings) => {
    expect(check({ ...LIBRARY, ...change })).toEqual(findings);
  });

  it.each([
    [{ context: { $int: "5" } }, []],
    [{ name: { $int: "5" } }, ["error R-2.1/text /patterns/0/name"]],
    [{ tags: ["a", null] }, ["error R-2.1/tags.array /patterns/0/tags/1"]],
    [{ confidence: 1, usage_count: 0 }, []],
    [{ discovered_at: "2025-12-01T21:36:57.1234567" }, ["remark U-timestamps /patterns/0/discovered_at"]],
    [{ discovered_at: "2025-12-01T21:36:57.5" }, ["remark U-timestamps /patterns/0/discovered_at"]],
    [{ discovered_at: "2025-12-01 21:36:57" }, ["error R-2.1/timestamp.json /patterns/0/discovered_at"]],
    [{ discovered_at: "2025-12-01T24:00:00" }, ["error R-2.1/timestamp.json /patterns/0/discovered_at"]],
    [{ colour: "red" }, ["error R-2.1/fields.json /patterns/0/colour"]],
    [{ confidence: null, tags: null }, ["remark U-optional /patterns/0/confidence"]],
    [{ code: "\ud800" }, ["remark U-text /patterns/0/code"]],
  ])("with a pattern with %j", (change, findings) => {
    expect(check({ ...LIBRARY, patterns: [{ ...PATTERN, ...change }] })).toEqual(findings);
  });

  it("lists the first of many faults, and counts the others", () => {
    const patterns = Array.from({ length: 5000 }, (_, index) => ({ ...PATTERN, id: `p${index}`, name: index }));
    const { findings } = checkText(
      folder,
      JSON.stringify({
        ...LIBRARY,
        agent_contributions: { a: patterns.map(({ id }) => id) },
        patterns,
        metadata: { ...LIBRARY.metadata, pattern_count: 5000 },
      }),
    );
    expect(findings).toHaveLength(20);
    expect(findings[19]).toMatchObject({ at: "/patterns/19/name", more: 4980, got: "19" });
  });

  it("is distinguished from other JSON", () => {
    const kind = (text: string) => checkText(folder, text).kind;
    expect([
      kind('{"patterns": 5}'),
      kind('{"trust_level": 1}'),
      kind("[]"),
      kind('{"user_id": "u"}'),
      kind('"text"'),
      kind("hello"),
    ]).toEqual(["library", "state", "json", "json", "json", "other"]);
  });

  it("and an export of metrics get only remarks on open questions", () => {
    const row = { id: 1, user_id: "u", level: 3, success: true, response_time_ms: 1, timestamp: null };
    const document = {
      metadata: { exported_at: "2025-12-01T21:36:57", interaction_count: 1 },
      users: {},
      global: { total_users: 1, total_interactions: 1, success_rate: 1 },
      interactions: [row],
    };
    expect(checkText(folder, JSON.stringify(document), { line: "16" })).toMatchObject({
      kind: "metrics-export",
      conforms: true,
      findings: [],
    });
    const broken = { ...document, users: { "a/b": {} }, interactions: [{ ...row, success: 1, empathy_level: 3 }] };
    expect(brief(checkText(folder, JSON.stringify(broken), { line: "16" }))).toEqual([
      "remark U-export /users/a~1b",
      "remark U-export /users/a~1b",
      "remark U-export /users/a~1b",
      "remark U-export /interactions/0/success",
      "remark U-export /interactions/0/empathy_level",
    ]);
  });
});
