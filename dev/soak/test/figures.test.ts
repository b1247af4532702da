import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { keptTrials } from "../../tools/measurements/kept_results.ts";
import { trialsSentence, trialsTable } from "../src/figures.ts";
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
    made: { commit: "0123456789ab", date: "2026-11-24", node: "v24.21.0", system: "Linux 6.1", processors: 2 },
    totals: { trials, survived: trials - wrong, lost: 0, wrong },
    rows: [],
    complaints: [],
  };
}

test("the figures list the commands, their results and the machine", () => {
  expect(
    trialsTable([report("crash", 0.07, 1714, 0, 90), report("documents", 1, 152_534, 1, 600)]).split("\n"),
  ).toEqual([
    "| command                              | trials  | of                | lost | wrong | minutes | commit         | date       |",
    "| ------------------------------------ | ------- | ----------------- | ---- | ----- | ------- | -------------- | ---------- |",
    "| `pnpm soak crash --share 7 --seed 7` | 1,714   | kills             | 0    | 0     | 1.5     | `0123456789ab` | 2026-11-24 |",
    "| `pnpm soak documents --seed 7`       | 152,534 | damaged documents | 0    | 1     | 10.0    | `0123456789ab` | 2026-11-24 |",
    "",
    "Node.js 24.21.0, Linux 6.1, 2 processors.",
  ]);
});

test("a sentence names the trials of each kind, and never adds unlike things", () => {
  const [crash, documents] = [report("crash", 0.07, 1714, 0, 90), report("documents", 1, 152_534, 0, 600)];
  expect(trialsSentence([crash, documents])).toBe(
    "1,714 kills, 152,534 damaged documents: nothing lost, nothing wrong",
  );
  expect(trialsSentence([crash, report("documents", 1, 9, 2, 1)])).toBe(
    "1,714 kills, 9 damaged documents: 2 lost or wrong",
  );
});

test("the committed reports are one complete run of each soak with nothing lost or wrong", () => {
  const reports = keptTrials(root).map(({ report: kept }) => kept);
  expect(reports.map(({ asked }) => asked.soaks)).toEqual(SOAKS.map(({ name }) => [name]));
  for (const { asked, ...outcome } of reports) {
    expect(outcome).toMatchObject({ fine: true, interrupted: false, missing: [], complaints: [] });
    // A whole round, or the share that the command states.
    expect(asked).toEqual({ soaks: asked.soaks, seed: asked.seed, share: asked.share, minutes: null });
    expect(outcome.made.commit).toMatch(/^[0-9a-f]{12}$/);
  }
});
