import { ask } from "@perdura/internals/terminal/ask.js";
import { has, valueOf } from "@perdura/internals/terminal/option_table.js";
import { countText, numberText, sizeText } from "@perdura/internals/terminal/quantities.js";
import { paintFor, widthOf } from "@perdura/internals/terminal/terminal.js";
import type { Pruned } from "../backup_store.ts";
import type { KeepPolicy } from "../prune/keep_policy.ts";
import type { Arguments } from "./arguments.ts";
import { namedVersions } from "./named_versions.ts";
import type { OptionName } from "./options.ts";
import { Interruption, NeedsDecision, type Outcome, totalSize } from "./outcome.ts";
import type { CommandRun } from "./run_command.ts";
import { versionLines } from "./versions_table.ts";

/** Removes versions that no rule keeps, once somebody agreed. */
export const prune: CommandRun = async (store, given, { signal, width, paint }) => {
  const name = given.targets[1];
  const dryRun = has(given, "dry-run");
  if (!dryRun && !has(given, "yes") && !isSomebodyThere(given))
    throw new NeedsDecision(
      "prune removes versions, and nobody can be asked here: say --yes, or look first with --dry-run. Nothing was removed.",
    );
  await namedVersions(store, name, signal);
  const policy = { ...policyOf(given), name, signal };
  const planned = await store.prune({ ...policy, dryRun: true });
  if (planned.removed.length > 0 && !dryRun && !has(given, "yes")) await agree(planned, signal, given);
  const pruned = dryRun ? planned : await store.prune(policy);
  return { ...shown(pruned, dryRun), lines: versionLines(pruned.removed, width, paint) };
};

function shown({ kept, removed }: Pruned, dryRun: boolean): Omit<Outcome, "lines"> {
  const amount = `${countText(removed.length, "version")} (${sizeText(totalSize(removed))})`;
  const rest = `${numberText(kept.length)} ${kept.length === 1 ? "stays" : "stay"}`;
  const nothing = `Nothing to remove; ${rest}.`;
  const summary = removed.length === 0 ? nothing : `${dryRun ? "Would remove" : "Removed"} ${amount}; ${rest}.`;
  return { code: 0, summary, result: { dry_run: dryRun, kept, removed } };
}

/** @throws NeedsDecision where the answer is no. */
async function agree({ removed, kept }: Pruned, signal: AbortSignal, given: Arguments): Promise<void> {
  const { stdin: input, stderr: output } = process;
  const lines = versionLines(removed, widthOf(output), paintFor(output, !has(given, "no-color")));
  output.write(`${lines.join("\n")}\n`);
  const question = `Remove these ${countText(removed.length, "version")}? ${numberText(kept.length)} would stay. [y/N] `;
  const answer = await ask(question, { input, output, signal });
  if (answer === "no") throw new NeedsDecision("Nothing was removed.");
  if (answer === "interrupted") throw new Interruption();
}

function isSomebodyThere(given: Arguments): boolean {
  return !has(given, "json") && !has(given, "quiet") && process.stdin.isTTY === true && process.stderr.isTTY === true;
}

function policyOf(given: Arguments): KeepPolicy {
  const count = (name: OptionName): number | undefined => {
    const value = valueOf(given, name);
    return value === undefined ? undefined : Number(value);
  };
  return {
    keepLast: count("keep-last"),
    keepHourly: count("keep-hourly"),
    keepDaily: count("keep-daily"),
    keepWeekly: count("keep-weekly"),
    keepMonthly: count("keep-monthly"),
    keepYearly: count("keep-yearly"),
  };
}
