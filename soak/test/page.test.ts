import { expect, test } from "vitest";
import { figures } from "../src/page/figures.ts";
import type { SoakReport } from "../src/report.ts";

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

test("the figures of a run name the commands, what came of each, and where", () => {
  expect(figures([report("crash", 0.2, 1714, 0, 90), report("documents", 1, 152_534, 1, 600)]).split("\n")).toEqual([
    "| command                               | trials  | lost | wrong | minutes |",
    "| ------------------------------------- | ------- | ---- | ----- | ------- |",
    "| `pnpm soak crash --share 20 --seed 7` | 1,714   | 0    | 0     | 1.5     |",
    "| `pnpm soak documents --seed 7`        | 152,534 | 0    | 1     | 10.0    |",
    "| together                              | 154,248 | 0    | 1     | 11.5    |",
    "",
    "Commit `0123456789ab`, Node.js 24.21.0, Linux 6.1, 2 processors.",
  ]);
});
