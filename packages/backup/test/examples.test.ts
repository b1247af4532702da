import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { examplesOfSources, runExample } from "../../../test/repository/run_example.ts";

/** They are about a library in the directory where they run. */
test.for(examplesOfSources("packages/backup/src"))("$place", ({ code }) => {
  const { printed, promised } = runExample(code, "backup", (directory) =>
    writeFileSync(join(directory, "library.json"), '{"patterns": [], "metadata": {"version": "1.0"}}\n'),
  );
  expect(printed).toEqual(promised);
});
