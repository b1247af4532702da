import { describe, expect, it } from "vitest";
import { PATTERNS, PATTERN_INDEXES, USAGE, brief, checkDatabase, patternsDatabase, replaced } from "./hand_made.ts";
import { freshFolder } from "../../../../test/fresh_folder.ts";

const folder = freshFolder();
const check = (sql: string) => checkDatabase(folder, sql);
const altered = (part: string, by: string) => check(replaced(patternsDatabase, part, by));

const SUCCESS_AS_TEXT = [
  "error R-2.2/success.required pattern_usage.success, row 1",
  ...["0", "1"].map(() => "error R-2.2/types pattern_usage.success"),
];
const EQUALS = ["error R-4.1/save-to-sqlite patterns"];

describe("a pattern database", () => {
  it("conforms in both lines, in any spelling and with additional objects", () => {
    expect(check(patternsDatabase)).toMatchObject({ kind: "patterns-database", conforms: true, findings: [] });
    const other = patternsDatabase
      .replaceAll("patterns", '"Patterns"')
      .replace(
        "id TEXT PRIMARY KEY",
        "[ID] varchar(40) NOT NULL, extra JSON DEFAULT '{}', rating INT, CONSTRAINT pk PRIMARY KEY (id)",
      )
      .replace(
        "updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP",
        "updated_at DEFAULT (strftime('%Y-%m-%dT%H:%M:%f', 'now'))",
      );
    const moved = other
      .replace(", CONSTRAINT pk PRIMARY KEY (id)", "")
      .replace("'now')))", "'now')), PRIMARY KEY (id)) WITHOUT ROWID");
    expect(
      brief(
        check(
          `${moved.replaceAll('idx_"Patterns"', "idx_patterns")} CREATE TABLE notes (body); CREATE VIEW v AS SELECT * FROM gone;`,
        ),
      ),
    ).toEqual([]);
  });

  it.each([
    [
      "id TEXT PRIMARY KEY",
      "id TEXT",
      ["error R-2.2/foreign-key pattern_usage", "error R-2.1/id.primary-key patterns.id", "error - pattern_usage"],
    ],
    [
      "agent_id TEXT NOT NULL, pattern_type",
      "agent_id TEXT, pattern_type",
      ["error R-2.1/agent-id.required patterns.agent_id"],
    ],
    ["pattern_type TEXT NOT NULL", "pattern_type TEXT", ["error R-2.1/pattern-type.required patterns.pattern_type"]],
    ["name TEXT NOT NULL", "name TEXT", ["error R-2.1/name.required patterns.name"]],
    ["name TEXT NOT NULL", "name TEXT NOT NULL DEFAULT ''", ["error R-2.1/name.required patterns.name"]],
    ["DEFAULT 0.5", "", ["error R-2.1/confidence.default patterns.confidence"]],
    [
      "usage_count INTEGER DEFAULT 0",
      "usage_count INTEGER DEFAULT 1",
      ["error R-2.1/counts.default patterns.usage_count"],
    ],
    ["success_count INTEGER DEFAULT 0", "success_count INTEGER", ["error R-2.1/counts.default patterns.success_count"]],
    [
      "failure_count INTEGER DEFAULT 0",
      "failure_count INTEGER DEFAULT '0x'",
      ["error R-2.1/counts.integer patterns.failure_count, row 1", "error R-2.1/counts.default patterns.failure_count"],
    ],
    ["description TEXT", "description TEXT DEFAULT ''", ["error R-2.1/none.default patterns.description"]],
    ["description TEXT", "description TEXT NOT NULL DEFAULT ''", ["error R-2.1/none.default patterns.description"]],
    [
      "last_used TIMESTAMP, updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP",
      "last_used TIMESTAMP, updated_at TIMESTAMP",
      ["error R-2.1/updated-at.default patterns.updated_at"],
    ],
    [
      "last_used TIMESTAMP, updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP",
      "last_used TIMESTAMP, updated_at TIMESTAMP DEFAULT '2020-01-01 00:00:00'",
      ["error R-2.1/updated-at.default patterns.updated_at"],
    ],
    ["code TEXT,", "", ["error R-2.1/fields.sqlite patterns.code"]],
    ["code TEXT,", "code TEXT AS (name),", ["error R-2.1/fields.sqlite patterns.code"]],
    ["pattern_id TEXT NOT NULL", "pattern_id TEXT", ["error R-2.2/pattern-id.required pattern_usage.pattern_id"]],
    [
      "agent_id TEXT NOT NULL,\n  success",
      "agent_id TEXT,\n  success",
      ["error R-2.2/agent-id.required pattern_usage.agent_id"],
    ],
    ["success BOOLEAN NOT NULL", "success BOOLEAN", ["error R-2.2/success.required pattern_usage.success"]],
    [
      "used_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP",
      "used_at TIMESTAMP",
      ["error R-2.2/used-at.default pattern_usage.used_at"],
    ],
    [", FOREIGN KEY (pattern_id) REFERENCES patterns(id)", "", ["error R-2.2/foreign-key pattern_usage.pattern_id"]],
    [
      "pattern_usage (id INTEGER PRIMARY KEY AUTOINCREMENT",
      "pattern_usage (id INTEGER",
      ["error R-2.2/id.generated pattern_usage.id", "error R-2.2/id.primary-key pattern_usage.id"],
    ],
    [
      "CREATE INDEX idx_patterns_agent ON patterns(agent_id);",
      "",
      ["error R-2.3/patterns.agent patterns, index idx_patterns_agent"],
    ],
    [
      "ON patterns(pattern_type)",
      "ON patterns(lower(pattern_type))",
      ["error R-2.3/patterns.type patterns, index idx_patterns_type"],
    ],
    [
      "ON patterns(confidence)",
      "ON patterns(confidence) WHERE confidence > 0",
      ["error R-2.3/patterns.confidence patterns, index idx_patterns_confidence"],
    ],
    [
      "idx_patterns_agent ON patterns(agent_id)",
      "other ON patterns(agent_id)",
      ["error R-2.3/patterns.agent patterns, index idx_patterns_agent"],
    ],
    [
      "CREATE INDEX idx_patterns_confidence",
      "CREATE UNIQUE INDEX idx_patterns_confidence",
      ["error R-2.3/patterns.confidence patterns, index idx_patterns_confidence", "error R-2.1/optional patterns"],
    ],
    ["idx_patterns_agent ON patterns(agent_id)", "IDX_PATTERNS_AGENT ON patterns(Agent_Id DESC)", []],
    [
      "CREATE INDEX idx_patterns_agent",
      "CREATE UNIQUE INDEX own ON patterns(name); CREATE INDEX idx_patterns_agent",
      EQUALS,
    ],
    ["description TEXT", "description TEXT UNIQUE", EQUALS],
    ["last_used TIMESTAMP", "last_used TIMESTAMP UNIQUE", EQUALS],
    ["confidence REAL DEFAULT 0.5", "confidence REAL NOT NULL DEFAULT 0.5", []],
    ["confidence REAL DEFAULT 0.5", "confidence INTEGER DEFAULT 0.5", []],
    [
      "confidence REAL DEFAULT 0.5",
      "confidence REAL DEFAULT 0.5 CHECK (confidence BETWEEN 0 AND 1)",
      ["error R-2.1/confidence.real patterns.confidence", "error R-2.1/confidence.real patterns.confidence"],
    ],
    ["id TEXT PRIMARY KEY", "id TEXT PRIMARY KEY ON CONFLICT REPLACE", []],
    ["id TEXT PRIMARY KEY", "id TEXT COLLATE NOCASE PRIMARY KEY", EQUALS],
    ["id TEXT PRIMARY KEY", "id TEXT COLLATE RTRIM PRIMARY KEY", EQUALS],
    ["name TEXT NOT NULL", "name TEXT NOT NULL ON CONFLICT IGNORE", []],
    ["code TEXT", "code NUMERIC", ["error R-2.1/text patterns.code"]],
    ["FOREIGN KEY", "UNIQUE (pattern_id, agent_id), FOREIGN KEY", ["error R-2.2/id.generated pattern_usage"]],
    ["pattern_id TEXT", "pattern_id NUMERIC", ["error R-2.2/types pattern_usage.pattern_id"]],
    ["success BOOLEAN", "success TEXT", SUCCESS_AS_TEXT],
    ["REFERENCES patterns(id)", "REFERENCES patterns", []],
    [
      "FOREIGN KEY (pattern_id) REFERENCES patterns(id)",
      "FOREIGN KEY (pattern_id, agent_id) REFERENCES patterns(id, agent_id)",
      [
        "error R-2.2/foreign-key pattern_usage.pattern_id",
        "error R-2.2/foreign-key pattern_usage",
        "error - pattern_usage",
      ],
    ],
  ])("with %j as %j", (part, by, findings) => {
    const report = altered(part, by);
    expect(brief(report)).toEqual(findings);
    expect(report.conforms).toBe(!findings.some((text) => text.startsWith("error")));
  });

  it("has one key, not one together with the agent", () => {
    const composite = replaced(PATTERNS, "id TEXT PRIMARY KEY", "id TEXT NOT NULL").replace(
      "CURRENT_TIMESTAMP);",
      "CURRENT_TIMESTAMP, PRIMARY KEY (id, agent_id));",
    );
    expect(brief(check(composite + USAGE + PATTERN_INDEXES))).toContain("error R-2.1/id.primary-key patterns.id");
  });

  it("reports only a remark if a trigger, which is not run, may give the default", () => {
    const plain = replaced(patternsDatabase, "updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP", "updated_at TIMESTAMP");
    const trigger = (sql: string) => `CREATE TRIGGER changed AFTER INSERT ON patterns BEGIN ${sql}; END;`;
    const sets = trigger("UPDATE patterns SET updated_at = CURRENT_TIMESTAMP WHERE id = NEW.id");
    const other = trigger("UPDATE patterns SET usage_count = 1 WHERE id = NEW.id");
    expect(brief(check(plain + sets))).toEqual(["remark R-2.1/updated-at.default patterns.updated_at"]);
    expect(brief(check(plain + other))).toEqual(["error R-2.1/updated-at.default patterns.updated_at"]);
  });

  it("reports only a remark if a check refuses the values of the trial", () => {
    const closed = replaced(
      patternsDatabase,
      "pattern_type TEXT NOT NULL",
      "pattern_type TEXT NOT NULL CHECK (pattern_type IN ('t', 'u'))",
    );
    expect(brief(check(closed))).toEqual([]);
    expect(brief(check(closed.slice(0, closed.indexOf("INSERT"))))).toEqual([
      "remark R-2.1/optional patterns",
      "remark R-2.2/used-at.default pattern_usage",
    ]);
    const noName = replaced(patternsDatabase, "name TEXT NOT NULL", "name TEXT NOT NULL CHECK (name = 'n')");
    expect(brief(check(replaced(noName, "success BOOLEAN NOT NULL", "success BOOLEAN")))).toEqual([
      "error R-2.2/success.required pattern_usage.success",
      "remark R-2.1/optional patterns",
    ]);
    for (const constraint of ["NOT NULL", "CHECK (description IS NOT NULL)"]) {
      const more = replaced(PATTERNS, "description TEXT", `description TEXT ${constraint}`);
      expect(brief(check(more + USAGE + PATTERN_INDEXES))).toEqual([
        "error R-2.1/optional patterns",
        "remark R-2.2/used-at.default pattern_usage",
      ]);
    }
  });
});
