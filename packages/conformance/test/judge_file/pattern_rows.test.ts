import { describe, expect, it } from "vitest";
import { PATTERNS, brief, checkDatabase, patternsDatabase, replaced } from "./hand_made.ts";
import { freshFolder } from "../../../../test/fresh_folder.ts";

const folder = freshFolder();
const check = (sql: string) => checkDatabase(folder, sql);
const added = (sql: string) => check(patternsDatabase + sql);

describe("the rows of a pattern database", () => {
  it.each([
    ["context = '[1]'", "error R-2.1/context.sqlite-text patterns.context, row 1"],
    ["context = '{\"a\": NaN}'", "error R-2.1/context.sqlite-text patterns.context, row 1"],
    ['context = \'{"a":1,"a":2}\'', "error R-2.1/context.sqlite-text patterns.context, row 1"],
    ["context = x'7b7d'", "error R-2.1/context.sqlite-text patterns.context, row 1"],
    ["tags = '[\"a\", 1]'", "error R-2.1/tags.sqlite-text patterns.tags, row 1"],
    ["confidence = 'high'", "error R-2.1/confidence.real patterns.confidence, row 1"],
    ["confidence = 9e999", "remark U-nonfinite patterns.confidence, row 1"],
    ["usage_count = 1.5", "error R-2.1/counts.integer patterns.usage_count, row 1"],
    ["name = x'00'", "error R-2.1/text patterns.name, row 1"],
    ["name = CAST(x'ff' AS TEXT)", "error R-2.1/text patterns.name, row 1"],
    ["discovered_at = 'yesterday'", "error R-2.1/fields.sqlite patterns.discovered_at, row 1"],
    ["last_used = '2025-02-30 10:00:00'", "error R-2.1/fields.sqlite patterns.last_used, row 1"],
    ["last_used = '2025-02-28T10:00:00Z'", "remark U-timestamps patterns.last_used, row 1"],
    ["last_used = 5", "remark U-timestamps-sqlite patterns.last_used, row 1"],
    ["updated_at = 5", "remark U-timestamps patterns.updated_at, row 1"],
    ["updated_at = 'now'", "error R-2.1/fields.sqlite patterns.updated_at, row 1"],
    ["context = 'null'", "error R-2.1/context.sqlite-text patterns.context, row 1"],
    ["usage_count = 9223372036854775807", "remark U-json-shape patterns.usage_count, row 1"],
    ["agent_id = ''", "remark U-text patterns.agent_id, row 1"],
    ["id = NULL", "error R-2.1/id.primary-key patterns.id, row 1"],
  ])("with a row in which %s", (assignment, finding) => {
    expect(brief(added(`DELETE FROM pattern_usage; UPDATE patterns SET ${assignment};`))).toEqual([finding]);
  });

  it.each([
    ["UPDATE pattern_usage SET success = 'yes'", "error R-2.2/success.required pattern_usage.success, row 1"],
    ["UPDATE pattern_usage SET used_at = 'now'", "error R-2.2/columns pattern_usage.used_at, row 1"],
    ["DELETE FROM patterns", "error R-2.2/foreign-key pattern_usage, row 1"],
    ["DROP TABLE pattern_usage", "error R-4.1/tables pattern_usage"],
  ])("after %s", (sql, finding) => {
    expect(brief(added(`${sql};`))).toEqual([finding]);
  });

  it("accepts an intended replacement character, and integers without affinity", () => {
    expect(brief(added("UPDATE patterns SET name = char(65533);"))).toEqual([]);
    const untyped = replaced(
      PATTERNS,
      "confidence REAL DEFAULT 0.5, usage_count INTEGER",
      "confidence DEFAULT 0.5, usage_count",
    );
    expect(
      brief(
        check(patternsDatabase.replace(PATTERNS, untyped) + "UPDATE patterns SET confidence = 1, usage_count = 2.0;"),
      ),
    ).toEqual([
      "remark R-2.1/storage-classes patterns.confidence, row 1",
      "remark R-2.1/storage-classes patterns.usage_count, row 1",
    ]);
  });
});
