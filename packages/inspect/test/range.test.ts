import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { MetricsSummary } from "@perdura/summary/document.js";
import { MetricsCollector as Collector15 } from "@perdura/v15";
import { MetricsCollector } from "@perdura/v16";
import { connect } from "../../../test/legacy/legacy_database.ts";
import { freshFolder } from "../../../test/fresh_folder.ts";
import { summarizeData } from "../src/index.ts";
import { runProgram } from "./run_program.ts";

interface Row {
  user: string;
  level: number | null;
  success: boolean;
  ms: number | null;
  timestamp: string | null;
  tool: string | null;
}

/** Texts of times as programs write them, and others. */
const timestamp = fc.oneof(
  { weight: 8, arbitrary: fc.date({ min: new Date("2026-05-01"), max: new Date("2026-05-29"), noInvalidDate: true }) },
  { weight: 1, arbitrary: fc.constantFrom(null, "", "yesterday", "2026-05-08T00:00:00+02:00", "2026-05-14 23:59:60") },
);
const row: fc.Arbitrary<Row> = fc.record({
  user: fc.constantFrom("alice", "bob", "Zoë", "a'b", ""),
  level: fc.constantFrom(1, 2, 5, null),
  success: fc.boolean(),
  ms: fc.constantFrom(0, 12.5, 800, null),
  timestamp: fc.tuple(timestamp, fc.boolean()).map(([at, hasBlank]) => {
    if (!(at instanceof Date)) return at;
    return hasBlank ? at.toISOString().slice(0, 19).replace("T", " ") : at.toISOString().slice(0, 23);
  }),
  tool: fc.constantFrom("search", "fetch", null),
});

/** Fills a database of a line with rows, and asks for sums of them where the line keeps some. */
function filled(line: "15" | "16", rows: readonly Row[]): string {
  const path = join(freshFolder(), "metrics.db");
  // Declared, because otherwise the newest operations of all decide whether a key is shown.
  const breakdown = { keys: ["tool"] };
  (line === "15" ? new Collector15(path, { breakdown }) : new MetricsCollector(path, { breakdown })).close();
  const database = connect(path);
  const level = line === "15" ? "empathy_level" : "level";
  const insert = database.prepare(
    `INSERT INTO interactions (user_id, ${level}, success, response_time_ms, timestamp) VALUES (?, ?, ?, ?, ?)`,
  );
  const note = database.prepare("INSERT INTO interaction_metadata (interaction_id, metadata) VALUES (?, ?)");
  for (const { user, level: at, success, ms, timestamp: time, tool } of rows) {
    const { lastInsertRowid } = insert.run(user, at ?? 1, success ? 1 : 0, ms, time);
    if (tool !== null) note.run(lastInsertRowid, JSON.stringify({ tool }));
  }
  database.close();
  return path;
}

/** The summary without trust, which comes from earlier operations, too. */
function comparable(metrics: MetricsSummary | null | undefined): unknown {
  return (
    metrics && {
      ...metrics,
      top_users: metrics.top_users.map(({ trust: _trust, trust_trajectory: _trajectory, ...user }) => user),
    }
  );
}

const SINCE = "2026-05-08";
const UNTIL = "2026-05-15T12:00:00";

/** True for rows between the limits, by the text of their time. */
function isBetween({ timestamp: text }: Row): boolean {
  const moment =
    text === null || text === "" ? Number.NaN : Date.parse(/Z|\+/.test(text) ? text : `${text.replace(" ", "T")}Z`);
  return moment >= Date.parse(`${SINCE}T00:00:00Z`) && moment < Date.parse(`${UNTIL}Z`);
}

describe.each(["15", "16"] as const)("a summary between two moments, line %s", (line) => {
  it("is that of a database which has no other operations", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 60 }), async (rows) => {
        const usual = rows.filter(({ timestamp: text }) => text !== "2026-05-14 23:59:60");
        const [all, some] = [filled(line, usual), filled(line, usual.filter(isBetween))];
        const options = { since: SINCE, until: UNTIL };
        const [found, wanted] = [await summarizeData(all, options), await summarizeData(some)];
        expect(comparable(found.databases[0]?.metrics)).toEqual(comparable(wanted.databases[0]?.metrics));
        expect(found.range).toEqual({ since: "2026-05-08T00:00:00.000", until: "2026-05-15T12:00:00.000" });
        expect(wanted.range).toBeNull();
      }),
      { numRuns: 25 },
    );
  });
});

const DAYS: Row[] = Array.from({ length: 20 }, (_, day) => ({
  user: day < 10 ? "early" : "late",
  level: 1,
  success: day % 2 === 0,
  ms: 100 + day,
  timestamp: `2026-05-${String(day + 1).padStart(2, "0")} 10:00:00`,
  tool: "search",
}));

describe("the commands", () => {
  const path = filled("16", DAYS);

  it.each([
    [["metrics", "show", path], "5 operations of 1 user in "],
    [["metrics", "users", path], "1 user in "],
    [["metrics", "user", path, "late"], "5 operations of late in "],
  ])("%j count the operations of a range, which their output names", async (words, sentence) => {
    const { code, stdout } = await runProgram([...words, "--since", "2026-05-16", "--until", "2026-05-21"]);
    expect([code, stdout]).toEqual([0, expect.stringContaining(sentence)]);
    expect(stdout).toContain(" from 2026-05-16 to before 2026-05-21.");
  });

  it("the overview names the range, also on a page", async () => {
    const html = join(freshFolder(), "page.html");
    const { stdout } = await runProgram([path, "--since", "2026-05-16"]);
    expect(stdout).toContain("Only operations from 2026-05-16; patterns and states of all time.");
    expect(stdout).toContain("5 operations of 1 user");
    expect((await runProgram([path, "--until", "2026-05-03", "--html", html])).code).toBe(0);
    expect(readFileSync(html, "utf8")).toContain("Only operations before 2026-05-03. Patterns and states");
  });

  it("say that nothing is in a range", async () => {
    const { code, stdout } = await runProgram([path, "--since", "2027-01-01"]);
    expect([code, stdout]).toEqual([0, expect.stringContaining("  no operations\n")]);
  });
});
