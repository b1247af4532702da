import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import { examplesOfPage, promisedLines } from "../../repository/run_example.ts";
import { BareFolder } from "../src/bare_folder.ts";

/** The first two programs of the page: the same program before and after. */
const [before, after] = examplesOfPage("UPGRADING.md").map(({ code }) => code) as [string, string];

test("upgrades from 15 to 16 with the same numbers, even if the data are migrated after the program", () => {
  const folder = new BareFolder(inject("npmRegistry"));
  folder.install("perdura@latest-15");
  const numbers = folder.program(before);
  expect(numbers.trim()).toBe(promisedLines(before).join("\n"));
  expect(folder.program(before)).toBe(numbers);

  folder.fine("npm", "install", "perdura@latest");
  // The pre-16 program no longer starts; it names the missing module, and changes nothing.
  expect(folder.run(process.execPath, "--no-warnings", "program.ts")).toMatchObject({
    status: 1,
    stderr: expect.stringContaining("'./persistence' is not defined by \"exports\"") as string,
  });
  // Nor does the new one; it reports what to do, and no data is lost.
  folder.write("after.ts", after);
  expect(folder.run(process.execPath, "--no-warnings", "after.ts")).toMatchObject({
    status: 1,
    stderr: expect.stringContaining("perdura-migrate") as string,
  });
  const migration = folder.fine("npx", "@perdura/migrator", "up", ".");
  expect(migration).toContain("1 migrated");
  expect(folder.program(after)).toBe(numbers);
  expect(folder.program(after)).toBe(numbers);
  expect(existsSync(join(folder.path, "metrics.db.v15.bak"))).toBe(true);
});
