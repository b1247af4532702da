/**
 * Compares the CPU time of the last complete run of tests with the committed figures; `--update` commits the new ones.
 */
import { commitBudget, committedBudget, growthOf, growthText } from "./tests/budget.ts";
import { readFigures } from "./tests/run_figures.ts";

const figures = readFigures();
if (figures?.complete !== true) {
  console.error("No figures of a complete test run: run `npm test` without arguments first.");
  process.exitCode = 2;
} else if (process.argv[2] === "--update") {
  commitBudget(figures);
  console.log("Wrote the figures of the last run to test/budget.json.");
} else {
  const growths = growthOf(figures, committedBudget());
  for (const { project, expected, now } of growths.toSorted((left, right) => right.now - left.now))
    console.log(
      `${project.padEnd(20)} ${now.toFixed(1).padStart(7)} s  expected ${expected?.toFixed(1).padStart(7) ?? "      –"} s`,
    );
  console.log(growthText(growths));
  process.exitCode = growths.some(({ grown }) => grown) ? 1 : 0;
}
