import { EXIT } from "@perdura/cli/exit_codes.js";
import { valuesOf } from "@perdura/cli/option_table.js";
import type { Runner } from "@perdura/cli/run_program.js";
import type { Mutant } from "../selftest/mutants/mutations.ts";
import { PARTS, runSelftest } from "../selftest/run_selftest.ts";
import type { Part } from "../selftest/run_selftest.ts";
import { escapeControls } from "../values/escape.ts";
import type { Command, OptionName } from "./table.ts";

/** Tests the suite itself and prints the table of mutants as it grows. */
export const selftest: Runner<Command, OptionName> = async (given, { say }) => {
  const chosen = valuesOf(given, "part") as Part[];
  const parts = chosen.length === 0 ? PARTS : chosen;
  const counts = new Map<string, number>();
  const all: object[] = [];
  const print = (line: string): void => say(escapeControls(line));
  let headed = false;
  const { checks, faults } = await runSelftest(parts, (check) => {
    counts.set(check.part, (counts.get(check.part) ?? 0) + 1);
    all.push({ ...check, ...(check.mutant ? { mutant: rowOf(check.mutant) } : {}) });
    if (check.mutant) {
      if (!headed) print(columns("requirement", "an implementation that …", "line", "killed by"));
      headed = true;
      const { requirement, line, kills } = rowOf(check.mutant);
      print(columns(requirement, check.name, line, check.fault === undefined ? kills : `SURVIVES ${kills}`));
    }
    if (check.fault !== undefined)
      for (const line of [`FAULT ${check.part}: ${check.name}`, `  ${check.fault}`]) print(line);
  });
  for (const [name, count] of counts) {
    const bad = faults.filter((fault) => fault.part === name).length;
    print(`${name}: ${count - bad} of ${count} checks passed`);
  }
  const summary = faults.length === 0 ? `all ${checks} checks passed` : `${faults.length} of ${checks} checks failed`;
  return {
    code: faults.length === 0 ? EXIT.done : EXIT.failed,
    summary,
    document: { checks: all, faults: faults.length },
    text: `${summary}\n`,
    isLaidOut: true,
  };
};

function rowOf({ requirement, line, kills }: Mutant): { requirement: string; line: string; kills: string } {
  return { requirement, line: line.replace("perdura-", ""), kills };
}

function columns(requirement: string, name: string, line: string, kills: string): string {
  return `${requirement.padEnd(28)} ${name.padEnd(62)} ${line.padEnd(4)} ${kills}`;
}
