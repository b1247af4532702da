import { EXIT } from "@perdura/cli/exit_codes.js";
import { ask, canAsk } from "@perdura/cli/ask.js";
import { has, valueOf } from "@perdura/cli/option_table.js";
import { countText, numberText, sizeText } from "@perdura/cli/quantities.js";
import { paintFor, widthOf } from "@perdura/cli/terminal.js";
import { DecisionNeeded, Interrupted } from "@perdura/cli/usage_error.js";
import type { Pruned } from "../backup_store.ts";
import type { KeepPolicy } from "../prune/keep_policy.ts";
import type { Space } from "../prune/space.ts";
import { namedVersions } from "./named_versions.ts";
import { type CommandRun, onStore, type Outcome, totalSize } from "./run_command.ts";
import type { Arguments, OptionName } from "./table.ts";
import { lockedLines, versionLines } from "./versions_table.ts";

/** Removes versions that no rule keeps, after the user has confirmed. */
export const prune: CommandRun = onStore(async (store, given, { signal, width, paint }) => {
  const name = given.words[1];
  const dryRun = has(given, "dry-run");
  if (!dryRun && !has(given, "yes") && !canAsk(given))
    throw new DecisionNeeded(
      "cannot ask for confirmation without a terminal, or with --json or --quiet. Nothing was removed. Use --dry-run to list the versions, or --yes to remove them without a question.",
    );
  await namedVersions(store, name, signal);
  const policy = { ...policyOf(given), name, signal };
  const planned = await store.prune({ ...policy, dryRun: true });
  if (planned.removed.length > 0 && !dryRun && !has(given, "yes")) await confirmRemoval(planned, signal, given);
  const pruned = dryRun ? planned : await store.prune(policy);
  const lines = [
    ...versionLines(pruned.removed, width, paint),
    ...lockedLines(pruned.locked, paint),
    ...(pruned.how_to_free === null ? [] : [pruned.how_to_free, ""]),
  ];
  return { ...shown(pruned, dryRun), lines };
});

function shown(pruned: Pruned, dryRun: boolean): Omit<Outcome, "lines"> {
  const { kept, removed, locked } = pruned;
  const amount = `${countText(removed.length, "version")} (${sizeText(totalSize(removed))})`;
  const others = `${numberText(kept.length)} ${dryRun ? "would be kept" : "kept"}`;
  const nothing = locked.length === 0 ? "Nothing to remove" : "Nothing was removed";
  const done = removed.length === 0 ? nothing : `${dryRun ? "Would remove" : "Removed"} ${amount}`;
  const held = `${countText(locked.length, "version is", "versions are")} locked by the store and ${locked.length === 1 ? "was" : "were"} not removed.`;
  const sentences = [`${done}; ${others}.`, ...(locked.length === 0 ? [] : [held]), ...spaceSentences(pruned, dryRun)];
  return {
    code: locked.length === 0 ? EXIT.done : EXIT.failed,
    summary: sentences.join(" "),
    result: { dry_run: dryRun, ...pruned },
  };
}

/** Sentences about bytes that were not freed; empty if all were. */
function spaceSentences(space: Space, dryRun: boolean): string[] {
  const { freed_bytes: freed, retained_bytes: retained, unknown_bytes: unknown, retained_by: why } = space;
  const [were, keeps] = dryRun ? ["would be", "would keep"] : ["were", "keeps"];
  const because = why === null ? "" : `, because ${why}`;
  return [
    ...(retained === 0
      ? []
      : [
          `${freed === 0 ? "No bytes" : sizeText(freed)} ${were} freed: the store ${keeps} ${sizeText(retained)}${because}.`,
        ]),
    ...(unknown === 0 ? [] : [`The store does not report whether ${sizeText(unknown)} ${were} freed.`]),
  ];
}

/** @throws DecisionNeeded when the user declines. */
async function confirmRemoval(planned: Pruned, signal: AbortSignal, given: Arguments): Promise<void> {
  const { removed, kept } = planned;
  const { stdin: input, stderr: output } = process;
  const lines = versionLines(removed, widthOf(output), paintFor(output, !has(given, "no-color")));
  output.write(`${[...lines, ...spaceSentences(planned, true)].join("\n")}\n`);
  const which = removed.length === 1 ? "this version" : `these ${countText(removed.length, "version")}`;
  const question = `Remove ${which}? ${numberText(kept.length)} would be kept. [y/N] `;
  const answer = await ask(question, { input, output, signal });
  if (answer === "no") throw new DecisionNeeded("Nothing was removed.");
  if (answer === "interrupted") throw new Interrupted();
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
