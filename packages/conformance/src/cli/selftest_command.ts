import type { ParseArgsOptionsConfig } from "node:util";
import type { Mutant } from "../selftest/mutants/mutations.ts";
import { PARTS, runSelftest } from "../selftest/run_selftest.ts";
import type { Part } from "../selftest/run_selftest.ts";
import { escapeControls } from "../values/escape.ts";
import { UsageError } from "./usage_error.ts";

/** The options of `selftest`, as `parseArgs` takes them. */
export const SELFTEST_OPTIONS: ParseArgsOptionsConfig = {
  part: { type: "string", multiple: true },
  json: { type: "boolean" },
};

/** The values of {@link SELFTEST_OPTIONS}. */
export interface SelftestValues {
  part?: string[] | undefined;
  json?: boolean | undefined;
}

/** `perdura-conformance selftest`: proves the suite itself and prints the table of mutants. */
export async function selftestCommand({ part = [], json = false }: SelftestValues): Promise<number> {
  const unknown = part.find((name) => !(PARTS as readonly string[]).includes(name));
  if (unknown !== undefined) throw new UsageError(`--part ${unknown}: the parts are ${PARTS.join(", ")}`);
  const parts = part.length === 0 ? PARTS : (part as Part[]);
  const counts = new Map<string, number>();
  const all: object[] = [];
  const print = (line: string): void => void (json || process.stdout.write(`${escapeControls(line)}\n`));
  let headed = false;
  const { checks, faults } = await runSelftest(parts, (check) => {
    counts.set(check.part, (counts.get(check.part) ?? 0) + 1);
    if (json) all.push({ ...check, ...(check.mutant ? { mutant: rowOf(check.mutant) } : {}) });
    if (check.mutant) {
      if (!headed) print(columns("requirement", "an implementation that …", "line", "is killed by"));
      headed = true;
      const { requirement, line, kills } = rowOf(check.mutant);
      print(columns(requirement, check.name, line, check.fault === undefined ? kills : `SURVIVES ${kills}`));
    }
    if (check.fault !== undefined)
      for (const line of [`FAULT ${check.part}: ${check.name}`, `  ${check.fault}`]) print(line);
  });
  if (json) process.stdout.write(`${JSON.stringify({ checks: all, faults: faults.length }, null, 2)}\n`);
  for (const [name, count] of counts) {
    const bad = faults.filter((fault) => fault.part === name).length;
    print(`${name}: ${count - bad} of ${count} hold`);
  }
  print(faults.length === 0 ? `the suite holds: ${checks} checks` : `${faults.length} of ${checks} checks do not hold`);
  return faults.length === 0 ? 0 : 3;
}

function rowOf({ requirement, line, kills }: Mutant): { requirement: string; line: string; kills: string } {
  return { requirement, line: line.replace("perdura-", ""), kills };
}

function columns(requirement: string, name: string, line: string, kills: string): string {
  return `${requirement.padEnd(28)} ${name.padEnd(62)} ${line.padEnd(4)} ${kills}`;
}
