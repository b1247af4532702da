import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { judgeFaults } from "./judge_faults.ts";
import { writePage } from "./page.ts";
import { IMPLEMENTATIONS, readFaults } from "./seeded_fault.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

const HELP = `Make mistakes in implementations in Go and Python, one at a time, and let
the conformance suite judge them.

  pnpm faults [NAME …]
  pnpm faults --page

NAME is an implementation (go, python) or a part of the name of a fault
[all faults, which takes half an hour on two cores]. Go needs its compiler and the driver of
SQLite: apt-get install golang-go golang-github-mattn-go-sqlite3-dev.
Results are kept in dev/faults/results.json and README.md.

  --page   only update README.md
  --help   print this help

Example: pnpm faults go json-written-in-place
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { page: { type: "boolean" }, help: { type: "boolean" } },
});
if (values.help === true) process.stdout.write(HELP);
else {
  if (values.page !== true) await judgeChosen(positionals);
  writePage(root);
}

async function judgeChosen(words: readonly string[]): Promise<void> {
  const languages = IMPLEMENTATIONS.filter(({ name }) => words.includes(name));
  const parts = words.filter((word) => !languages.some(({ name }) => name === word));
  let judged = 0;
  for (const implementation of languages.length > 0 ? languages : IMPLEMENTATIONS) {
    const chosen = readFaults(root, implementation).filter(
      ({ name }) => parts.length === 0 || parts.some((part) => name.includes(part)),
    );
    await judgeFaults(root, implementation, chosen, ({ name }, { level, case: id }) => {
      judged += 1;
      process.stdout.write(`${implementation.name} ${name}: ${level === undefined ? "nothing" : `${level}, ${id}`}\n`);
    });
  }
  if (judged === 0) throw new Error(`no fault has a name with ${parts.join(" or ")}`);
}
