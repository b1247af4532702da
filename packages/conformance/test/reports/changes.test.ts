import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { freshFolder } from "../../../../test/fresh_folder.ts";
import { runMain } from "../../../../test/run_main.ts";
import { main } from "../../src/cli/main.ts";
import { changesBetween } from "../../src/results/changes.ts";
import { sideBySide } from "../../src/report/html/side_by_side.ts";
import type { CaseRecord, ReportRecord } from "../../src/results/record.ts";
import { viewOf } from "../../src/results/report_view.ts";
import { everything, HOSTILE } from "./everything.ts";
import { caseRecord, failing, stream } from "./sample_records.ts";

const failingIn = (id: string, check: string): CaseRecord =>
  failing(id, { failures: [{ step: 1, check, where: "call x", at: "", wanted: "1", got: "2" }] });

const EARLIER = stream([
  caseRecord("a/broke"),
  caseRecord("a/left"),
  caseRecord("a/unselected"),
  failingIn("a/other", "one"),
  failingIn("a/same", "one"),
  caseRecord("a/skipped", { verdict: "not-run" }),
  caseRecord("a/gone"),
  caseRecord("a/fixed", { verdict: "crash" }),
  caseRecord("a/question", {
    level: "observe",
    scored: false,
    verdict: "observed",
    as_ruled: true,
    requirements: ["U-order"],
  }),
]);
const LATER = stream([
  failing("a/broke"),
  caseRecord("a/left", { verdict: "unsupported" }),
  caseRecord("a/unselected", { verdict: "not-run" }),
  failingIn("a/other", "two"),
  failingIn("a/same", "one"),
  caseRecord("a/skipped", { verdict: "inapplicable" }),
  caseRecord("a/fixed"),
  caseRecord("a/new"),
  failing("a/new-and-wrong"),
  caseRecord("a/question", {
    level: "observe",
    scored: false,
    verdict: "observed",
    as_ruled: false,
    answers: { "U-order": "sorted" },
    requirements: ["U-order"],
  }),
]);

const file = (folder: string, name: string, records: readonly ReportRecord[]): string => {
  const path = join(folder, name);
  writeFileSync(path, records.map((record) => `${JSON.stringify(record)}\n`).join(""));
  return path;
};

it("changes between two runs are sorted by what they mean", () => {
  const { answers, ...lists } = changesBetween(viewOf(EARLIER), viewOf(LATER));
  const ids = Object.fromEntries(Object.entries(lists).map(([kind, list]) => [kind, list.map(({ id }) => id)]));
  expect(ids).toEqual({
    worse: ["a/broke", "a/left", "a/new-and-wrong", "a/unselected"],
    better: ["a/fixed"],
    other: ["a/other"],
    added: ["a/new"],
    removed: ["a/gone"],
  });
  expect(answers).toEqual([{ id: "U-order", was: "as ruled", now: "sorted by id" }]);
});

it("report --compare prints them and ends with 4 if anything became worse", async () => {
  const folder = freshFolder();
  const [earlier, later] = [file(folder, "earlier", EARLIER), file(folder, "later", LATER)];
  const { code, stdout } = await runMain(main, ["report", "--compare", earlier, later]);
  expect(code).toBe(4);
  expect(stdout).toContain("Worse (3)\n  a/broke          must, pass -> fail: a/broke holds\n");
  expect(stdout).toContain("Passed before, not run now: 1 case\n");
  expect(stdout).not.toContain("a/unselected");
  expect(stdout).toContain("4 cases worse");
  expect(stdout).toContain("a/other  must, fail in other checks: ");
  expect(stdout).toContain("U-order: as ruled -> sorted by id");
  const back = await runMain(main, ["report", "--compare", "--json", later, earlier]);
  expect(back.code).toBe(4);
  expect(JSON.parse(back.stdout)).toMatchObject({
    better: [{ id: "a/broke" }, { id: "a/left" }, { id: "a/unselected" }],
  });
  const same = await runMain(main, ["report", "--compare", later, later]);
  expect(same.code).toBe(0);
  expect(same.stdout).toContain("Nothing changed.");
});

it("several reports side by side have a ratio for each section, and no markup of an implementation", () => {
  const page = sideBySide([EARLIER, LATER, everything()]);
  expect(page).toContain("3 implementations, section by section");
  expect(page).toMatch(/2\.1 Pattern record<\/th><td data-label="acme 1\.2\.0">4\/7/);
  const hostile = sideBySide(
    [everything(), LATER].map((records) =>
      records.map((record) =>
        record.record === "run"
          ? { ...record, implementation: { name: HOSTILE, version: "1", language: "C" } }
          : record,
      ),
    ),
  );
  expect(hostile).not.toContain("<img");
  expect(hostile).not.toContain("<script");
});
