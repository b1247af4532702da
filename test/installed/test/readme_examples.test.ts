import { expect, inject, test } from "vitest";
import { examplesOfPage, promisedLines } from "../../repository/run_example.ts";
import { BareFolder } from "../src/bare_folder.ts";

/** Examples that a reader of a package's page, or of the repository's, may paste. */
const PAGES = [
  ["README.md", "latest", (code: string) => !code.includes("perdura/persistence")],
  ["packages/v16/README.md", "latest", () => true],
  ["README.md", "latest-15", (code: string) => code.includes("perdura/persistence")],
  ["packages/v15/README.md", "latest-15", () => true],
] as const;

test.for(PAGES)("the examples of %s run with an installed perdura@%s", ([page, tag, isMeant]) => {
  const examples = examplesOfPage(page).filter(({ code }) => isMeant(code));
  expect(examples.length).toBeGreaterThan(0);
  for (const { code } of examples) {
    const folder = new BareFolder(inject("npmRegistry"));
    folder.install(`perdura@${tag}`);
    expect(folder.program(code).split("\n").slice(0, -1)).toEqual(promisedLines(code));
  }
});
