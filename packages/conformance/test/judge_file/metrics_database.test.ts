import { describe, expect, it } from "vitest";
import { brief, checkDatabase, metricsDatabase, patternsDatabase, replaced } from "./hand_made.ts";
import { freshFolder } from "../../../../test/fresh_folder.ts";

const folder = freshFolder();
const in16 = (sql: string) => checkDatabase(folder, sql, { line: "16" });
const before16 = replaced(metricsDatabase, "level", "empathy_level").replace(
  "level, success, response",
  "empathy_level, success, response",
);

describe("a metrics database", () => {
  it("conforms to one line, with the reason why not to the other", () => {
    expect(checkDatabase(folder, metricsDatabase)).toMatchObject({
      kind: "metrics-database",
      conforms: true,
      lines: [
        { line: "15", conforms: false },
        { line: "16", conforms: true },
      ],
      findings: [
        {
          concerns: ["15"],
          requirement: "R-9/level-column.before-16",
          at: "interactions.level",
          wanted: expect.stringContaining("line 15") as string,
        },
      ],
    });
    expect(checkDatabase(folder, before16, { line: "16" })).toMatchObject({
      conforms: false,
      findings: [
        {
          requirement: "R-9/level-column",
          at: "interactions.empathy_level",
          got: expect.stringContaining("migrate it") as string,
        },
      ],
    });
    expect(checkDatabase(folder, before16, { line: "15" })).toMatchObject({ conforms: true, findings: [] });
  });

  it("may not have both columns, even if one is generated", () => {
    for (const column of ["empathy_level INTEGER", "empathy_level INTEGER AS (level)"]) {
      const report = checkDatabase(
        folder,
        replaced(metricsDatabase, "response_time_ms REAL", `response_time_ms REAL, ${column}`),
      );
      expect(brief(report)).toContain("error R-9/level-column.before-16 interactions.level");
      expect(brief(report)).toContain("error R-9/level-column interactions.empathy_level");
      expect(report.lines.map(({ conforms }) => conforms)).toEqual([false, false]);
    }
  });

  it("is judged together with patterns in one file", () => {
    expect(checkDatabase(folder, patternsDatabase + metricsDatabase, { line: "16" })).toMatchObject({
      kind: "combined-database",
      conforms: true,
      findings: [],
    });
    expect(
      brief(
        in16(
          patternsDatabase +
            metricsDatabase.replace("user_id TEXT NOT NULL", "user_id TEXT").replaceAll("idx_interactions_user", "i"),
        ),
      ),
    ).toEqual([
      "error R-2.3/interactions.user interactions, index idx_interactions_user",
      "error R-2.5/user-id.required interactions.user_id",
    ]);
  });

  it("with the table metrics instead, which has a level, is not that of an older program", () => {
    const misnamed = metricsDatabase.replaceAll(/\binteractions\b/g, "metrics");
    const report = checkDatabase(folder, misnamed);
    expect([report.kind, brief(report), report.findings[0]?.got]).toEqual([
      "metrics-database",
      ["error R-2.5/columns.before-16 metrics", "error R-2.5/columns metrics"],
      "a table metrics with the column level: the layout of no line and of no known program",
    ]);
    expect(brief(in16(metricsDatabase + misnamed.slice(0, misnamed.indexOf("CREATE INDEX"))))).toEqual([]);
  });

  it.each([
    [
      "interactions (id INTEGER PRIMARY KEY AUTOINCREMENT",
      "interactions (id INTEGER",
      ["error R-2.5/id.generated interactions.id", "error R-2.5/id.primary-key interactions.id"],
    ],
    [
      "id INTEGER PRIMARY KEY AUTOINCREMENT",
      "id TEXT PRIMARY KEY DEFAULT (hex(randomblob(8)))",
      ["error R-2.5/id.primary-key interactions.id, row 1", "error R-2.5/id.generated interactions.id"],
    ],
    ["user_id TEXT NOT NULL", "user_id TEXT", ["error R-2.5/user-id.required interactions.user_id"]],
    ["level INTEGER NOT NULL", "level INTEGER", ["error R-2.5/level.required interactions.level"]],
    ["level INTEGER NOT NULL", "level INTEGER NOT NULL DEFAULT 1", ["error R-2.5/level.required interactions.level"]],
    ["success BOOLEAN NOT NULL", "success BOOLEAN", ["error R-2.5/success.required interactions.success"]],
    ["response_time_ms REAL", "response_time_ms REAL NOT NULL", ["error R-2.5/response-time.optional interactions"]],
    [
      "response_time_ms REAL",
      "response_time_ms REAL DEFAULT 0",
      ["error R-2.5/response-time.optional interactions.response_time_ms"],
    ],
    ["DEFAULT CURRENT_TIMESTAMP", "", ["error R-2.5/timestamp.default interactions.timestamp"]],
    ["DEFAULT CURRENT_TIMESTAMP", "DEFAULT (unixepoch())", ["remark U-timestamp-zone interactions.timestamp, row 1"]],
    ["id INTEGER PRIMARY KEY", "id INTEGER PRIMARY KEY ON CONFLICT REPLACE", []],
    ["user_id TEXT NOT NULL", "user_id TEXT NOT NULL ON CONFLICT IGNORE", []],
    ["user_id TEXT NOT NULL", "user_id NUMERIC NOT NULL", ["error R-2.5/user-id.text interactions.user_id"]],
    ["user_id TEXT NOT NULL", "user_id TEXT NOT NULL UNIQUE", ["error R-2.5/id.generated interactions"]],
    ["response_time_ms REAL", "response_time_ms REAL UNIQUE", ["error R-2.5/id.generated interactions"]],
    ["level INTEGER NOT NULL", "level INTEGER NOT NULL CHECK (level BETWEEN 1 AND 5)", []],
    ["level INTEGER NOT NULL", "level INTEGER NOT NULL CHECK (level < 5)", ["error R-2.5/levels interactions.level"]],
    [
      "response_time_ms REAL",
      "response_time_ms REAL, metadata TEXT",
      ["remark U-metadata-storage interactions.metadata"],
    ],
    [
      "CREATE INDEX idx_interactions_timestamp ON interactions(timestamp);",
      "",
      ["error R-2.3/interactions.timestamp interactions, index idx_interactions_timestamp"],
    ],
    [
      "CREATE INDEX idx_interactions_user ON interactions(user_id)",
      "CREATE INDEX idx_interactions_user ON interactions(user_id, level)",
      ["error R-2.3/interactions.user interactions, index idx_interactions_user"],
    ],
  ])("with %j as %j", (part, by, findings) => {
    expect(brief(in16(replaced(metricsDatabase, part, by)))).toEqual(findings);
  });
});
