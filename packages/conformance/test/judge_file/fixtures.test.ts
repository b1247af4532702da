import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  readExpected,
  type InvalidAnswers,
  type LegacyAnswers,
  type MetricsAnswers,
} from "../../../../fixtures/expected.ts";
import { fixture } from "../../../../fixtures/paths.ts";
import { checkFile } from "../../src/judge_file/check_file.ts";
import { brief } from "./hand_made.ts";

const files = (folder: string): string[] =>
  readdirSync(fixture(folder)).filter((name) => !/expected\.json$|-wal$|-journal$/.test(name));

/** Files that readers must accept although they do not conform to section 2.4. */
const READABLE_ONLY: Record<string, string[]> = {
  "extra-keys.json": ["R-2.4/top-level", "R-2.1/fields.json", "R-2.1/updated-at.sqlite-only", "R-9/file-version"],
  "timestamps.json": ["R-2.1/timestamp.json"],
  "no-metadata.json": ["R-2.4/top-level"],
};

describe("fixtures/libraries", () => {
  it.each(files("libraries"))("%s", (name) => {
    const report = checkFile(fixture("libraries", name));
    expect(report.kind).toBe(name.endsWith(".json") ? "library" : "patterns-database");
    const errors = report.findings.filter(({ level }) => level === "error").map(({ requirement }) => requirement);
    expect([...new Set(errors)]).toEqual(READABLE_ONLY[name] ?? []);
    expect(report.lines.map(({ conforms }) => conforms)).toEqual(Array(2).fill(errors.length === 0));
  });
});

/** Places of faults in databases, which the expected answers, made for files only, cannot name. */
const DATABASE_PLACES: Record<string, string> = {
  "context-list.db": "patterns.context, row 2",
  "context-nan.db": "patterns.context, row 2",
  "context-not-json.db": "patterns.context, row 2",
  "tags-object.db": "patterns.tags, row 2",
  "tag-number.db": "patterns.tags, row 2",
  "columns-missing.db": "patterns.agent_id",
  "cut-in-half.db": "",
  "no-patterns-table.db": "patterns",
  "text.db": "",
  "zero-byte.db": "",
};

/** Files that only a ruling refuses: an implementation may accept them. */
const RULED: Record<string, string> = {
  "agent-id-empty.json": "U-text",
  "id-empty.json": "U-text",
  "id-nul.json": "U-text",
  "id-lone-surrogate.json": "U-text",
  "confidence-beyond-double.json": "U-json-shape",
  "usage-count-beyond-double.json": "U-json-shape",
};

describe("fixtures/invalid", () => {
  const answers = readExpected("invalid", "expected.json") as InvalidAnswers;
  it.each(Object.entries(answers))("%s", (name, { pointer, line, column }) => {
    const library = name.endsWith(".json");
    const { findings, conforms } = checkFile(fixture("invalid", name), {
      as: library ? "library" : "patterns-database",
    });
    const ruling = RULED[name];
    expect(conforms).toBe(ruling !== undefined);
    const at = pointer ?? DATABASE_PLACES[name] ?? "";
    expect(findings).toContainEqual(
      expect.objectContaining({
        ...(ruling === undefined ? { level: "error" } : { level: "remark", requirement: ruling }),
        at,
        ...(line === undefined ? {} : { line, column }),
      }),
    );
    if (library) for (const finding of findings) expect(finding.line).toBeGreaterThan(0);
    expect(checkFile(fixture("invalid", name)).conforms).toBe(conforms);
  });
});

describe("fixtures/metrics", () => {
  it.each(files("metrics"))("%s", (name) => {
    const { level_column: level } = readExpected("metrics", name.replace(".db", ".expected.json")) as MetricsAnswers;
    const report = checkFile(fixture("metrics", name));
    expect(report.kind).toBe("metrics-database");
    expect(report.lines).toEqual([
      { line: "15", conforms: level === "empathy_level" },
      { line: "16", conforms: level === "level" },
    ]);
    expect(report.findings).toHaveLength(1);
  });
});

describe("fixtures/legacy", () => {
  it.each(files("legacy"))("%s", (name) => {
    const { layout, metrics_tables: tables } = readExpected(
      "legacy",
      name.replace(".db", ".expected.json"),
    ) as LegacyAnswers;
    const report = checkFile(fixture("legacy", name), { line: "16" });
    const words = report.findings.map(({ got }) => got).join("\n");
    if (layout === "foreign" || layout === "empty")
      expect([report.kind, report.conforms]).toEqual([layout === "foreign" ? "sqlite" : "other", false]);
    else if (layout === "field-patterns") expect(brief(report)).toContain("remark U-legacy-layouts patterns");
    else expect(words).toMatch(/migrate it/);
    expect(words.includes("which would drop the levels")).toBe(
      tables.some(({ table, level_column: level }) => table === "metrics" && level !== null) &&
        layout !== "half-upgraded",
    );
    expect(words.includes("did not finish")).toBe(layout === "half-upgraded");
    const unusual = new Set(
      tables
        .filter(({ table }) => table === "interactions")
        .flatMap(({ unusual_rows: rows }) => Object.values(rows).flat()),
    );
    const seen = new Set(
      report.findings
        .filter(({ cell }) => cell?.table === "interactions" && typeof cell.row === "number")
        .map(({ cell }) => cell?.row),
    );
    for (const row of unusual) expect(seen).toContain(row);
  });

  it("are not changed", () => {
    const folders = ["libraries", "invalid", "metrics", "legacy"];
    const state = () =>
      folders.map((folder) =>
        readdirSync(fixture(folder)).map((name) => [name, readFileSync(fixture(folder, name)).toString("base64")]),
      );
    const before = state();
    for (const folder of folders) for (const name of files(folder)) checkFile(fixture(folder, name));
    expect(state()).toEqual(before);
  });
});
