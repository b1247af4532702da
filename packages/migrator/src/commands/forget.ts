import { existsSync } from "node:fs";
import { basename, dirname } from "node:path";
import { removeAbandonedTemporaries } from "@perdura/internals/files/abandoned_temporaries.js";
import { isAbandoned } from "@perdura/internals/files/temporary_names.js";
import { archiveNames } from "../archive/format/archive_place.ts";
import { assertDeletable, deleteStates, statesOfUser } from "../archive/states/forget_states.ts";
import { assertKnown, wrongArgument } from "../core/argument_checks.ts";
import type { MaintainedDatabase, MaintainedStates, MaintenanceReport } from "../core/maintenance_report.ts";
import type { CommonOptions } from "../core/options.ts";
import { stopOf } from "../core/stop.ts";
import {
  checkedForgotten,
  type Forgotten,
  forgetRows,
  planForgetting,
  reportingRows,
} from "../database/maintenance/forget_rows.ts";
import type { Discovery } from "../core/discovery.ts";
import { excludedPaths } from "../find/state_directory.ts";
import type { LevelColumn } from "@perdura/internals/metrics/schema.js";
import { runCallerCode } from "@perdura/internals/errors/caller_errors.js";
import type { CheckedDeletionOptions } from "@perdura/internals/text/deletion_options.js";
import { checkedUsageDeletion, type UsageToDelete } from "@perdura/internals/patterns/usage_deletion.js";
import { forgetUsage, planUsage, reportingUsage } from "../database/maintenance/forget_usage.ts";
import { ownKind } from "../io/own_files.ts";
import { allBackupsOf } from "../io/copy_database.ts";
import { type CollectedDatabase, conclude, onEach, runMaintenance } from "./maintenance.ts";
import { isServers, runOnServers, type Server } from "./maintenance_servers.ts";
import type { Session } from "./session.ts";

/** Options of `forgetData`: `userId`, `before` or both; or `agentId`; or `orphans`. */
export interface ForgetOptions extends CommonOptions {
  /** The schema in PostgreSQL, for addresses only; `perdura` by default. */
  schema?: string | undefined;
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
  "schema",
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
 * @param targets A database, a state directory, or a directory that contains either; or several. Or addresses that begin
 *   `postgres://`.
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
  const { userId, before, agentId, orphans = false, erase = false, schema, ...others } = options;
  const asked = [userId !== undefined || before !== undefined, agentId !== undefined, orphans];
  if (asked.filter(Boolean).length !== 1)
    throw wrongArgument("options", "userId, before, or both; or agentId alone; or orphans alone", options);
  const forgotten = { orphans, userId, before, erase };
  const usage = agentId === undefined ? undefined : checkedUsageDeletion({ agent_id: agentId, erase });
  if (usage === undefined) checkedForgotten(forgotten);
  const what = { ...forgotten, usage };
  if (isServers(targets))
    return runOnServers("forget", targets, { schema, ...others }, async (run, servers, report) => {
      report.erase = erase;
      await carryOut(run, report, await planServers(run, servers, what), [], confirm);
    });
  if (schema !== undefined) throw wrongArgument("schema", "addresses that begin postgres://, as targets", schema);
  return runMaintenance("forget", targets, others, async (run, databases, report, discovery) => {
    report.erase = erase;
    const states = planAll(run, databases, report, discovery, what);
    const levels = new Map(databases.map(({ item, levelColumn }) => [item, levelColumn]));
    const parts = report.databases.map((item): Part => {
      const levelColumn = levels.get(item);
      const forget =
        usage === undefined
          ? () => forgetRows(item, levelColumn as LevelColumn, forgotten, run)
          : () => forgetUsage(item, usage, run);
      return { item, forget };
    });
    await carryOut(run, report, parts, states, confirm);
  });
}

/** A database, and the deletion of what was found in it. */
interface Part {
  item: MaintainedDatabase;
  forget(): Promise<void>;
}

/** Deletes what was planned, if nothing needs a decision and the plan is confirmed. */
async function carryOut(
  run: Session,
  report: MaintenanceReport,
  parts: readonly Part[],
  states: readonly FoundStates[],
  confirm: ConfirmForgetting,
): Promise<void> {
  const items = [...report.databases, ...report.state_directories];
  if (run.settings.dryRun || report.refused.length > 0 || items.some(({ status }) => TROUBLES.has(status))) return;
  if (confirm !== null && items.some(({ status }) => status === "planned")) {
    const plan = { ...report, dry_run: true };
    conclude(plan);
    await confirm(plan);
  }
  const planned = parts.filter(({ item }) => item.status === "planned");
  for (const { item } of planned)
    Object.assign(item, { status: "not_started", interactions: 0, metadata: 0, usage_rows: 0 });
  for (const { item } of states) Object.assign(item, { status: "not_started", states: 0, unfinished: 0 });
  await onEach(planned, async ({ forget }) => {
    await forget();
    return true;
  });
  run.assertNotInterrupted();
  await onEach(states, ({ item, names, unfinished }) => {
    deleteStates(item.path, names);
    item.states = names.length;
    removeAbandonedTemporaries(item.path);
    const left = unfinished.filter((path) => existsSync(path));
    item.unfinished = unfinished.length - left.length;
    report.not_reached.push(...left);
    return true;
  });
}

/** Counts everything in the servers. */
async function planServers(run: Session, servers: readonly Server[], what: Planned): Promise<Part[]> {
  const { usage, erase } = what;
  const parts: Part[] = [];
  for (const { item, tables } of servers) {
    parts.push({
      item,
      forget: async () => {
        if (usage === undefined)
          Object.assign(item, await tables.deleteRows(stoppable(reportingRows(item, what, run), run)));
        else item.usage_rows = (await tables.deleteUsage(stoppable(reportingUsage(item, usage, run), run))).usageRows;
      },
    });
    try {
      if (usage === undefined) Object.assign(item, await tables.countDue(checkedForgotten(what)));
      else item.usage_rows = await tables.countUsage(usage);
      const rows = item.interactions + item.metadata + item.usage_rows;
      item.status = rows > 0 || erase ? "planned" : "nothing_to_do";
    } catch (error) {
      const { status, message } = stopOf(error, item.path);
      Object.assign(item, { status, reason: message });
    }
  }
  return parts;
}

/** The same deletion, which ends after a transaction if the run was interrupted. */
function stoppable<Asked extends CheckedDeletionOptions>(asked: Asked, run: Session): Asked {
  return {
    ...asked,
    report: (...counts) => {
      asked.report?.(...counts);
      runCallerCode(() => run.assertNotInterrupted());
    },
  };
}

type Planned = Forgotten & { usage: UsageToDelete | undefined };

const TROUBLES: ReadonlySet<string> = new Set(["refused", "in_use", "failed"]);

interface FoundStates {
  item: MaintainedStates;
  names: string[];
  /** Temporary files of programs that were killed while they saved a state. Their names do not tell the user. */
  unfinished: string[];
}

/** Counts everything, and lists what is not reached. Returns the directories with states of the user. */
function planAll(
  run: Session,
  databases: readonly CollectedDatabase[],
  report: MaintenanceReport,
  discovery: Discovery,
  forgotten: Planned,
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
  const temporaries = discovery.own.filter((path) => ownKind(basename(path)) === "temporary");
  const found = discovery.stateDirectories.map((path): FoundStates => {
    const user = forgotten.before === undefined ? forgotten.userId : undefined;
    const names = user === undefined ? [] : statesOfUser(path, user, excluded);
    const unfinished =
      user === undefined ? [] : temporaries.filter((file) => dirname(file) === path && isAbandoned(file));
    const status = names.length + unfinished.length > 0 ? "planned" : "nothing_to_do";
    const item: MaintainedStates = { path, status, reason: null, states: names.length, unfinished: unfinished.length };
    try {
      assertDeletable(path, names);
    } catch (error) {
      const stop = stopOf(error, path);
      Object.assign(item, { status: stop.status, reason: stop.message });
    }
    return { item, names, unfinished };
  });
  report.state_directories = found.map(({ item }) => item);
  const made = discovery.leftAlone.filter(({ made: kind }) => kind !== undefined).map(({ path }) => path);
  const backups = discovery.databases.flatMap(({ path }) => allBackupsOf(path, run.settings.backupDir));
  const toDelete = new Set(found.flatMap(({ unfinished }) => unfinished));
  const others = temporaries.filter((path) => !toDelete.has(path));
  report.not_reached = [
    ...new Set([...made, ...backups, ...discovery.stateDirectories.flatMap(archiveNames), ...others]),
  ];
  return found.filter(({ names, unfinished }) => names.length + unfinished.length > 0);
}
