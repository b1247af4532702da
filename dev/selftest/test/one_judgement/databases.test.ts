import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Line } from "../../../../packages/conformance/src/judge_file/file_report.ts";
import { alterationOf, isDeclarable, redeclare, type Described } from "./altered_table.ts";
import { WRITTEN, casesAbout, judgeBothWays } from "./both_ways.ts";
import { PATTERNS, USAGE, interactions } from "./described_tables.ts";

/** A run judges about thirty files in both ways. */
const RUNS = Math.ceil(4 * Number(process.env["PERDURA_RUNS"] ?? 1));

describe.each(["15", "16"] as const)("line %s: run and check-file agree on an altered", (line: Line) => {
  const tables: [string, Described, keyof typeof WRITTEN][] = [
    ["patterns", PATTERNS, "patterns"],
    ["pattern_usage", USAGE, "patterns"],
    ["interactions", interactions(line === "15" ? "empathy_level" : "level"), "metrics"],
  ];

  // How a level is stored is a should (section 2.5): 3.0 is the integer 3.
  it("column of levels as real numbers", async () => {
    const { model } = interactions(line === "15" ? "empathy_level" : "level");
    const altered = structuredClone(model);
    for (const column of altered.columns) if (column.type === "INTEGER" && column.field !== "id") column.type = "REAL";
    const cases = casesAbout(WRITTEN.metrics, line);
    const judged = await judgeBothWays(WRITTEN.metrics, line, cases, (path) => redeclare(path, model, altered));
    expect(judged).toMatchObject({ run: [], checkFile: [] });
  });

  it.each(tables)("table %s", async (_table, described, kind) => {
    const cases = casesAbout(WRITTEN[kind], line);
    expect(cases.length).toBeGreaterThan(15);
    const plain = await judgeBothWays(WRITTEN[kind], line, cases, (path) =>
      redeclare(path, described.model, described.model),
    );
    expect(plain).toMatchObject({ run: [], checkFile: [] });
    expect(plain.files).toBeGreaterThan(15);
    await fc.assert(
      fc.asyncProperty(fc.array(alterationOf(described), { minLength: 1, maxLength: 2 }), async (alterations) => {
        const model = structuredClone(described.model);
        for (const { apply } of alterations) apply(model);
        fc.pre(isDeclarable(model));
        const judged = await judgeBothWays(WRITTEN[kind], line, cases, (path) =>
          redeclare(path, described.model, model),
        );
        const context = `${alterations.map(({ name }) => name).join("; ")}\nrun: ${judged.run.slice(0, 3).join(" | ")}\ncheck-file: ${judged.checkFile.slice(0, 3).join(" | ")}`;
        expect(judged.run.length > 0, context).toBe(judged.checkFile.length > 0);
      }),
      { numRuns: RUNS },
    );
  });
});
