import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { examplesOfSources, outcomeOf, runExamples } from "../../../test/repository/run_example.ts";

const examples = examplesOfSources("packages/backup/src").map((example, index) => ({ ...example, index }));
let outcomes: Awaited<ReturnType<typeof runExamples>> = [];

/** The examples use a library in the directory where they run. */
beforeAll(async () => {
  const prepare = (directory: string): void =>
    writeFileSync(join(directory, "library.json"), '{"patterns": [], "metadata": {"version": "1.0"}}\n');
  outcomes = await runExamples(examples.map(({ code }) => ({ code, line: "backup", prepare })));
});

test.for(examples)("$place", ({ index }) => {
  const { printed, promised } = outcomeOf(outcomes[index]);
  expect(printed).toEqual(promised);
});
