import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { examplesOfPage, promisedLines } from "../../../test/repository/run_example.ts";
import type { Check } from "./check.ts";
import type { Wine } from "./wine.ts";

/** Pages with examples, and the examples that are meant for a line. */
const PAGES = [
  { page: "README.md", line: "16", isMeant: (code: string) => !code.includes("perdura/persistence") },
  { page: "packages/v16/README.md", line: "16", isMeant: () => true },
  { page: "README.md", line: "15", isMeant: (code: string) => /"perdura(?:\/persistence)?"/.test(code) },
  { page: "packages/v15/README.md", line: "15", isMeant: () => true },
] as const;

/** Every example of the READMEs, each in an empty folder, prints what its comments say. */
export function readmeChecks(wine: Wine): Check[] {
  return PAGES.flatMap(({ page, line, isMeant }) =>
    examplesOfPage(page)
      .filter(({ code }) => isMeant(code))
      .map(({ code }, index) => ({
        name: `README: example ${index + 1} of ${page}, with perdura@${line}`,
        run: () => tryExample(wine, code, line),
      })),
  );
}

async function tryExample(wine: Wine, code: string, line: string): Promise<string | undefined> {
  const folder = join(wine.folder(`perdura${line}`), "example");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  writeFileSync(join(folder, "example.ts"), code);
  const { status, output } = await wine.node(["example.ts"], folder);
  const wanted = promisedLines(code).join("\n");
  return status === 0 && output.trimEnd() === wanted
    ? undefined
    : `exit code ${status}\n${output}\nexpected:\n${wanted}`;
}
