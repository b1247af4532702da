import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { judgeWrittenFile } from "../../src/judge_file/judge_by_line.ts";
import { lineOfVersion } from "../../src/corpus/version_range.ts";
import { metricsDatabase, patternsDatabase, replaced, writeDatabase } from "./hand_made.ts";
import { freshFolder } from "../../../../test/fresh_folder.ts";

const folder = freshFolder();
const scratch = freshFolder();

it("returns the errors of a file of a case, without remarks", () => {
  const text = join(folder, "file.json");
  const judge = (as: "library" | "state", content: object) => {
    writeFileSync(text, JSON.stringify(content));
    return judgeWrittenFile(as, text, "file.json", "15", scratch);
  };
  expect(judge("state", { user_id: "", trust_level: 1 })).toEqual([]);
  expect(judge("state", { user_id: "u", trust_level: 2 })).toMatchObject([
    { check: "R-2.8/trust-level", at: "/trust_level", line: 1 },
  ]);
  expect(
    judge("library", {
      patterns: [],
      agent_contributions: {},
      metadata: { saved_at: "2025-01-01T00:00:00Z", pattern_count: 0, version: "1.0" },
    }),
  ).toEqual([]);
  expect(judge("library", [])).toMatchObject([{ check: "R-2.4/top-level", at: "" }]);
});

it("judges a database by the line of the case", () => {
  const metrics = writeDatabase(join(folder, "metrics.db"), metricsDatabase);
  const patterns = writeDatabase(join(folder, "patterns.db"), replaced(patternsDatabase, "DEFAULT 0.5", ""));
  expect(judgeWrittenFile("metrics-database", metrics, "metrics.db", lineOfVersion("16.0.0-rc.1"), scratch)).toEqual(
    [],
  );
  expect(judgeWrittenFile("metrics-database", metrics, "metrics.db", lineOfVersion("15.9.9"), scratch)).toMatchObject([
    { check: "R-9/level-column.before-16" },
  ]);
  expect(judgeWrittenFile("patterns-database", patterns, "patterns.db", "16", scratch)).toMatchObject([
    { check: "R-2.1/confidence.default" },
  ]);
  expect(judgeWrittenFile("patterns-database", join(folder, "none.db"), "none.db", "16", scratch)).toEqual([
    { at: "", wanted: "the file none.db", got: undefined },
  ]);
  expect(readdirSync(scratch)).toEqual([]);
});
