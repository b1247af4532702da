import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { figures, keptReports } from "../src/page/figures.ts";
import { pageNow } from "../src/page/page.ts";
import type { SoakReport } from "../src/report.ts";
import { SOAKS } from "../src/soaks.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

function report(name: string, share: number, trials: number, wrong: number, seconds: number): SoakReport {
  return {
    fine: wrong === 0,
    asked: { soaks: [name], seed: 7, share, minutes: null },
    missing: [],
    interrupted: false,
    seconds,
    made: { commit: "0123456789ab", node: "v24.21.0", system: "Linux 6.1", processors: 2 },
    totals: { trials, survived: trials - wrong, lost: 0, wrong },
    rows: [],
    complaints: [],
  };
}

test("the figures list the commands, their results and the machine", () => {
  expect(figures([report("crash", 0.07, 1714, 0, 90), report("documents", 1, 152_534, 1, 600)]).split("\n")).toEqual([
    "| command                              | trials  | lost | wrong | minutes | commit         |",
    "| ------------------------------------ | ------- | ---- | ----- | ------- | -------------- |",
    "| `pnpm soak crash --share 7 --seed 7` | 1,714   | 0    | 0     | 1.5     | `0123456789ab` |",
    "| `pnpm soak documents --seed 7`       | 152,534 | 0    | 1     | 10.0    | `0123456789ab` |",
    "| together                             | 154,248 | 0    | 1     | 11.5    |                |",
    "",
    "Node.js 24.21.0, Linux 6.1, 2 processors.",
  ]);
});

test("the page has the figures of the committed reports: one complete run of each soak with nothing lost or wrong", () => {
  const reports = keptReports(root);
  expect(reports.map(({ asked }) => asked.soaks)).toEqual(SOAKS.map(({ name }) => [name]));
  for (const { asked, ...outcome } of reports) {
    expect(outcome).toMatchObject({ fine: true, interrupted: false, missing: [], complaints: [] });
    // A whole round, or the share that the command states.
    expect(asked).toEqual({ soaks: asked.soaks, seed: asked.seed, share: asked.share, minutes: null });
    expect(outcome.made.commit).toMatch(/^[0-9a-f]{12}$/);
  }
  expect(pageNow(root), "pnpm soak --page writes them again").toBe(
    readFileSync(join(root, "docs", "reliability.md"), "utf8"),
  );
});
