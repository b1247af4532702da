import { describe, expect, it } from "vitest";
import { INTERACTIONS, INTERACTION_INDEXES, brief, checkDatabase, metricsDatabase } from "./hand_made.ts";
import { freshFolder } from "../../../../test/fresh_folder.ts";

const folder = freshFolder();
const in16 = (sql: string) => checkDatabase(folder, sql, { line: "16" });

describe("the rows of a metrics database", () => {
  it.each([
    ["level = 0", "error R-2.5/levels interactions.level, row 1"],
    ["level = 6", "error R-2.5/levels interactions.level, row 1"],
    ["level = 'high'", "error R-2.5/levels interactions.level, row 1"],
    ["success = 2", "error R-2.5/success.required interactions.success, row 1"],
    ["success = 'true'", "remark R-2.5/storage-classes interactions.success, row 1"],
    ["response_time_ms = 'slow'", "error R-2.5/response-time.optional interactions.response_time_ms, row 1"],
    ["response_time_ms = -1", "remark U-range interactions.response_time_ms, row 1"],
    ["response_time_ms = 9e999", "remark U-range interactions.response_time_ms, row 1"],
    ["timestamp = '2025-01-01T00:00:00'", "remark U-timestamp-zone interactions.timestamp, row 1"],
    ["timestamp = 1735689600", "remark U-timestamp-zone interactions.timestamp, row 1"],
    ["timestamp = x'00'", "error R-4.2/timestamp interactions.timestamp, row 1"],
    ["timestamp = 'then'", "error R-4.2/timestamp interactions.timestamp, row 1"],
    ["user_id = x'61'", "error R-2.5/user-id.text interactions.user_id, row 1"],
    ["user_id = 'a' || char(0)", "remark U-text interactions.user_id, row 1"],
    ["id = 9223372036854775807, level = 9", "error R-2.5/levels interactions.level, row 9223372036854775807"],
  ])("with a row in which %s", (assignment, finding) => {
    const report = in16(`${metricsDatabase}UPDATE interactions SET ${assignment};`);
    expect(brief(report)).toContain(finding);
    expect(report.conforms).toBe(!finding.startsWith("error"));
  });

  it("remarks on the metadata next to it", () => {
    const beside = `${metricsDatabase} CREATE TABLE interaction_metadata (interaction_id INTEGER PRIMARY KEY REFERENCES interactions(id), metadata TEXT NOT NULL);`;
    expect(brief(in16(`${beside} INSERT INTO interaction_metadata VALUES (1, '{}');`))).toEqual([]);
    expect(brief(in16(`${beside} INSERT INTO interaction_metadata VALUES (1, '{"a": NaN}'), (7, '{}');`))).toEqual([
      "remark U-metadata-storage interaction_metadata.metadata, row 1",
      "remark U-metadata-storage interaction_metadata, row 7",
    ]);
  });

  it("counts the faults of many rows that it does not list", () => {
    const many = `${INTERACTIONS}${INTERACTION_INDEXES} WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1223)
      INSERT INTO interactions (user_id, level, success) SELECT 'u', 7, 1 FROM n;`;
    const { findings } = in16(many);
    expect(findings).toHaveLength(20);
    expect(findings.at(-1)).toMatchObject({
      at: "interactions.level, row 20",
      more: 1203,
      cell: { table: "interactions", column: "level", row: 20 },
    });
  });
});
