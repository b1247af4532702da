import { archiveNames } from "../archive/format/archive_place.ts";
import { assertDeletable, deleteStates, statesOfUser } from "../archive/states/forget_states.ts";
import { assertKnown, wrongArgument } from "../core/argument_checks.ts";
import type { MaintainedStates, MaintenanceReport } from "../core/maintenance_report.ts";
import type { CommonOptions } from "../core/options.ts";
import { stopOf } from "../core/stop.ts";
import { checkedForgotten, type Forgotten, forgetRows, planForgetting } from "../database/maintenance/forget_rows.ts";
import type { Discovery } from "../core/discovery.ts";
import { excludedPaths } from "../find/state_directory.ts";
import { checkedUsageDeletion, type UsageToDelete } from "@perdura/internals/patterns/usage_deletion.js";
import { forgetUsage, planUsage } from "../database/maintenance/forget_usage.ts";
import { allBackupsOf } from "../io/copy_database.ts";
import { type CollectedDatabase, conclude, onEach, runMaintenance } from "./maintenance.ts";
import type { Session } from "./session.ts";

/** Options of `forgetData`: `userId`, `before` or both; or `agentId`; or `orphans`. */
export interface ForgetOptions extends CommonOptions {
  /** Deletes the interactions of this user; without `before`, also the pre-16 state of the user. */
  userId?: string | undefined;
  /** Deletes the interactions before this moment: a Date, or text in UTC (`YYYY-MM-DD`, `YYYY-MM-DDTHH:MM:SS`). */
  before?: Date | string | undefined;
  /** Deletes the uses of patterns by this agent instead; not together with `userId` or `before`. */
  agentId?: string | undefined;
  /** Deletes metadata without an interaction instead; not together with other data. Default false. */
  orphans?: boolean | undefined;
  /** Also overwrite the bytes in the databases and empty their logs. Default false. */
  erase?: boolean | undefined;
  /** Only report what would be deleted. Default false. */
  dryRun?: boolean | undefined;
}

/** Gets the report of a dry run before the first change, and throws to cancel it. Null: no confirmation. */
type ConfirmForgetting = ((plan: MaintenanceReport) => Promise<void>) | null;

const OPTIONS: readonly (keyof ForgetOptions)[] = [
  "userId",
  "before",
  "agentId",
  "orphans",
  "erase",
  "dryRun",
  "backupDir",
  "stateDirectories",
  "busyTimeoutMs",
  "onProgress",
  "signal",
];

/**
 * Deletes interactions with their metadata from databases of both lines, and states of a user; or uses of patterns by an agent: in steps, between which
 * other programs can write. Everything is counted first; if anything needs a decision, nothing is changed. Run it again
 * after an interruption: it continues. Backups and archives are listed, and not changed.
 *
 * @param targets A database, a state directory, or a directory that contains either; or several.
 * @returns A report with counts for each file.
 * @throws FileNotFoundError for a target that does not exist; ValidationError for a wrong argument; any value that
 *   `onProgress` throws.
 * @example
 * ```ts
 * const { databases } = await forgetData("./data", { userId: "alice", dryRun: true });
 * ```
 */
export function forgetData(targets: string | readonly string[], options: ForgetOptions): Promise<MaintenanceReport> {
  return forgetIfConfirmed(targets, options, null);
}

/** Does the same as {@link forgetData}, but has the plan confirmed. */
export async function forgetIfConfirmed(
  targets: string | readonly string[],
  options: ForgetOptions,
  confirm: ConfirmForgetting,
): Promise<MaintenanceReport> {
  assertKnown("forgetData", options, OPTIONS);
  const { userId, before, agentId, orphans = false, erase = false, ...others } = options;
  const asked = [userId !== undefined || before !== undefined, agentId !== undefined, orphans];
  if (asked.filter(Boolean).length !== 1)
    throw wrongArgument("options", "userId, before, or both; or agentId alone; or orphans alone", options);
  const forgotten = { orphans, userId, before, erase };
  const usage = agentId === undefined ? undefined : checkedUsageDeletion({ agent_id: agentId, erase });
  if (usage === undefined) checkedForgotten(forgotten);
  return runMaintenance("forget", targets, others, async (run, databases, report, discovery) => {
    report.erase = erase;
    const states = planAll(run, databases, report, discovery, { ...forgotten, usage });
    const items = [...report.databases, ...report.state_directories];
    if (run.settings.dryRun || report.refused.length > 0 || items.some(({ status }) => TROUBLES.has(status))) return;
    if (confirm !== null && items.some(({ status }) => status === "planned")) {
      const plan = { ...report, dry_run: true };
      conclude(plan);
      await confirm(plan);
    }
    const planned = databases.filter(({ item }) => item.status === "planned");
    const used = usage === undefined ? [] : report.databases.filter(({ status }) => status === "planned");
    for (const { item } of planned) Object.assign(item, { status: "not_started", interactions: 0, metadata: 0 });
    for (const item of used) item.status = "not_started";
    for (const { item } of states) Object.assign(item, { status: "not_started", states: 0 });
    if (usage === undefined)
      await onEach(planned, async ({ item, levelColumn }) => {
        await forgetRows(item, levelColumn, forgotten, run);
        return true;
      });
    else
      await onEach(
        used.map((item) => ({ item })),
        async ({ item }) => {
          await forgetUsage(item, usage, run);
          return true;
        },
      );
    run.assertNotInterrupted();
    await onEach(states, ({ item, names }) => {
      deleteStates(item.path, names);
      item.states = names.length;
      return true;
    });
  });
}

const TROUBLES: ReadonlySet<string> = new Set(["refused", "in_use", "failed"]);

interface FoundStates {
  item: MaintainedStates;
  names: string[];
}

/** Counts everything, and lists what is not reached. Returns the directories with states of the user. */
function planAll(
  run: Session,
  databases: readonly CollectedDatabase[],
  report: MaintenanceReport,
  discovery: Discovery,
  forgotten: Forgotten & { usage: UsageToDelete | undefined },
): FoundStates[] {
  const { usage } = forgotten;
  const examined =
    usage === undefined
      ? databases.map(({ item }) => item)
      : report.databases.filter(({ status }) => status === "not_started" || status === "left_alone");
  for (const item of examined) {
    try {
      let mayHaveCopies = forgotten.erase;
      if (usage === undefined) planForgetting(item, forgotten, run);
      else {
        const hasUses = planUsage(item, usage, run);
        mayHaveCopies &&= hasUses;
        item.reason = null;
      }
      // Copies of rows that were deleted before are erased as well.
      const rows = item.interactions + item.metadata + item.usage_rows;
      item.status = rows > 0 || mayHaveCopies ? "planned" : "nothing_to_do";
    } catch (error) {
      const { status, message } = stopOf(error, item.path);
      Object.assign(item, { status, reason: message });
    }
  }
  const excluded = excludedPaths(discovery, run.settings.backupDir);
  const found = discovery.stateDirectories.map((path): FoundStates => {
    const names =
      forgotten.userId === undefined || forgotten.before !== undefined
        ? []
        : statesOfUser(path, forgotten.userId, excluded);
    const status = names.length > 0 ? "planned" : "nothing_to_do";
    const item: MaintainedStates = { path, status, reason: null, states: names.length };
    try {
      assertDeletable(path, names);
    } catch (error) {
      const stop = stopOf(error, path);
      Object.assign(item, { status: stop.status, reason: stop.message });
    }
    return { item, names };
  });
  report.state_directories = found.map(({ item }) => item);
  const made = discovery.leftAlone.filter(({ made: kind }) => kind !== undefined).map(({ path }) => path);
  const backups = discovery.databases.flatMap(({ path }) => allBackupsOf(path, run.settings.backupDir));
  report.not_reached = [...new Set([...made, ...backups, ...discovery.stateDirectories.flatMap(archiveNames)])];
  return found.filter(({ names }) => names.length > 0);
}
