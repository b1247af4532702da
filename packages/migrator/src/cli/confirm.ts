import { ask, canAsk } from "@perdura/cli/ask.js";
import { has } from "@perdura/cli/option_table.js";
import type { Tools } from "@perdura/cli/run_program.js";
import { widthOf } from "@perdura/cli/terminal.js";
import { DecisionNeeded, Interrupted } from "@perdura/cli/usage_error.js";
import { wrap } from "@perdura/cli/wrap.js";
import type { Arguments } from "./table.ts";

function isConfirmed(given: Arguments): boolean {
  return has(given, "yes") || has(given, "dry-run") || has(given, "rehearse");
}

/** True if a person is to confirm the plan. */
export function needsAnswer(given: Arguments): boolean {
  return !isConfirmed(given) && canAsk(given);
}

/** Removals cannot be undone, so a script has to confirm them beforehand. */
export function assertConfirmable(given: Arguments): void {
  if (isConfirmed(given) || canAsk(given)) return;
  throw new DecisionNeeded(
    `${given.command} cannot ask for confirmation without a terminal, nor with --json or --quiet. Nothing was removed. Add --yes to confirm, or --dry-run to see what would be removed.`,
  );
}

/** @throws DecisionNeeded if the answer is no; Interrupted after Ctrl-C. */
export async function showAndAsk(
  question: string,
  shown: string,
  { progress, signal }: Pick<Tools, "progress" | "signal">,
): Promise<void> {
  progress.clear();
  process.stderr.write(`${wrap(shown, widthOf(process.stderr))}\n\n`);
  const answer = await ask(`${question} [y/N] `, { input: process.stdin, output: process.stderr, signal });
  if (answer === "no") throw new DecisionNeeded("Nothing was changed.");
  if (answer === "interrupted") throw new Interrupted();
}
