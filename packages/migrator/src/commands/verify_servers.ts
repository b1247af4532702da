import { askedTrend, askedUserTrend } from "@perdura/internals/metrics/trends/trend_arguments.js";
import {
  CorruptDataError,
  FileNotFoundError,
  isPerduraError,
  ValidationError,
} from "@perdura/internals/errors/errors.js";
import { assertNodeItself } from "@perdura/internals/runtime/node_version.js";
import { isPostgresAddress } from "@perdura/internals/text/addresses.js";
import type { PostgresTables, StoredMetrics, Tables } from "@perdura/postgres/tables";
import type { PoolClient } from "pg";
import { loadTables } from "../copy/postgres/packages.ts";
import { assertKnown } from "../core/argument_checks.ts";
import type { CommonOptions } from "../core/options.ts";
import type { Progress } from "../core/progress.ts";
import { shellWord } from "../core/shell_words.ts";
import { Stop } from "../core/stop.ts";
import { VERSION } from "../core/version.ts";
import { exitCodeOf } from "./outcome.ts";
import { Session } from "./session.ts";
import { settingsFrom } from "./settings.ts";

/** Options for the verification of schemas in PostgreSQL. */
export interface VerifyServersOptions extends Pick<CommonOptions, "busyTimeoutMs" | "onProgress" | "signal"> {
  /** The schema in PostgreSQL; `perdura` by default. */
  schema?: string | undefined;
}

/** Result of `verifyServers`. */
export interface ServersReport {
  format: "perdura-servers-report";
  format_version: 1;
  command: "verify";
  tool_version: string;
  started_at: string;
  finished_at: string;
  exit_code: 0 | 1 | 4 | 5 | 130;
  summary: string;
  servers: ServerReport[];
}

/** Findings about one schema of a server. */
export interface ServerReport {
  /** The address, without a password. */
  place: string;
  schema: string;
  /** `in_use`: another process held a lock for longer than the busy time-out. */
  status: "verified" | "differs" | "failed" | "in_use";
  /** Reason why it could not be compared; otherwise null. */
  reason: string | null;
  /** Number of users with rows or sums. */
  users: number;
  /** The first users whose statistics differ from their rows, and the number of all of them. */
  wrong_users: string[];
  wrong_user_count: number;
  /** True if the numbers of all users together are wrong. */
  wrong_totals: boolean;
  /** Number of patterns that version 16 reads. */
  patterns: number;
  /** The first patterns that it cannot read, and the number of all of them. */
  invalid_patterns: { pattern: string; reason: string }[];
  invalid_pattern_count: number;
  counters_behind: CounterBehind[];
  /** Metadata without an interaction, which another program left where foreign keys did not apply. */
  orphaned_metadata: number;
  /** A command that corrects the statistics; null if they are correct. */
  recount: string | null;
}

/** A counter that would return numbers that are in use. */
export interface CounterBehind {
  table: string;
  column: string;
  /** The last number that it returned. */
  last: string;
  /** The highest number in the table. */
  highest: string;
}

/** Maximum number of users and patterns that are listed. */
const LISTED = 10;

/**
 * Compares the sums behind the statistics with all rows in PostgreSQL, reads every pattern as version 16 does, and
 * checks that no counter is behind its table. Writes nothing.
 *
 * @param places One address that begins `postgres://`, or several.
 * @throws ValidationError for a wrong argument; MissingPackageError if the packages for PostgreSQL are not installed;
 *   any value that `onProgress` throws.
 * @example
 * ```ts
 * const { exit_code, servers } = await verifyServers("postgres://localhost/agents");
 * ```
 */
export async function verifyServers(
  places: string | readonly string[],
  options: VerifyServersOptions = {},
): Promise<ServersReport> {
  assertNodeItself();
  const list = addressesFrom(places);
  assertKnown("verifyServers", options, ["schema", "busyTimeoutMs", "onProgress", "signal"]);
  const { schema = "perdura", ...common } = options;
  const run = new Session(settingsFrom(common));
  const report = newReport();
  try {
    const open = await loadTables();
    const { busyTimeoutMs } = run.settings;
    const opened = list.map((place) => open(place, { schema, busyTimeoutMs }));
    for (const tables of opened) report.servers.push(await verified(tables, schema, run));
    conclude(report);
  } catch (error) {
    if (run.callbackErrors.length > 0) throw run.callbackErrors[0];
    if (!(error instanceof Stop && error.status === "interrupted")) throw error;
    report.exit_code = exitCodeOf(["interrupted"]);
    report.summary = "Interrupted. Nothing was changed.";
  } finally {
    run[Symbol.dispose]();
  }
  report.finished_at = new Date().toISOString();
  return report;
}

function addressesFrom(places: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(places) ? Array.from(places) : [places];
  if (list.length > 0 && list.every((place) => typeof place === "string" && isPostgresAddress(place)))
    return list as readonly string[];
  // Not shown: it may contain a password.
  throw new ValidationError(
    "expected an address that begins postgres://, or an array of one or more, got something else.",
    { argument: "places" },
  );
}

async function verified(tables: PostgresTables, schema: string, run: Progress): Promise<ServerReport> {
  const report = newServerReport(tables.place, schema);
  try {
    await compare(tables, report, run);
    const differs =
      report.wrong_user_count + report.invalid_pattern_count + report.counters_behind.length > 0 || report.wrong_totals;
    report.status = differs ? "differs" : "verified";
  } catch (error) {
    const failure = tables.failure(error, "verifying", "");
    if (!isPerduraError(failure)) throw failure;
    report.status = isPerduraError(failure, "PERDURA_BUSY") ? "in_use" : "failed";
    report.reason = failure.message;
  } finally {
    await tables.close();
  }
  return report;
}

async function compare(tables: PostgresTables, report: ServerReport, run: Progress): Promise<void> {
  const { place } = tables;
  await run.stage(place, "verify", "comparing the rollup with all rows");
  const [present, sums] = [await tables.look(), await tables.compareSums()];
  if (present === undefined || sums === undefined)
    throw new FileNotFoundError(`the schema ${report.schema} has no tables of perdura.`, { path: place });
  report.users = sums.users;
  report.wrong_users = sums.wrongUsers.slice(0, LISTED);
  report.wrong_user_count = sums.wrongUsers.length;
  report.wrong_totals = sums.wrongTotals;
  await run.stage(place, "verify", "asking each question about the interactions");
  await assertRecordable(tables, present);
  if (!(await tables.read(({ metrics }) => doAnswersAgree(metrics)))) report.wrong_totals = true;
  await run.stage(place, "verify", "reading every pattern");
  const { readable, invalid } = (await tables.readPatterns()) ?? { readable: 0, invalid: [] };
  report.patterns = readable;
  report.invalid_pattern_count = invalid.length;
  report.invalid_patterns = invalid
    .slice(0, LISTED)
    .map(({ id, place: row, reason }) => ({ pattern: id ?? row, reason }));
  await run.stage(place, "verify", "comparing the sequences with their tables");
  report.counters_behind = await countersBehind(tables, present);
  await run.stage(place, "verify", "looking for metadata without an interaction");
  report.orphaned_metadata = await tables.read((contents) => contents.orphanedMetadata());
  if (report.wrong_user_count > 0 || report.wrong_totals) report.recount = recountCommand(place, report.schema);
}

/** Asks every kind of question at one moment: a change of the tables can make one fail. */
async function doAnswersAgree(metrics: StoredMetrics | null): Promise<boolean> {
  if (metrics === null) return true;
  const [global, users, overview] = [await metrics.global(), await metrics.users(), await metrics.overview()];
  const [first] = await metrics.topUsers(1);
  if (first === undefined) return false;
  const { total_operations: operations } = await metrics.user(first.user_id);
  const days = await metrics.globalTrend(askedTrend({}));
  const ofUser = await metrics.userTrend(first.user_id, askedUserTrend({}));
  const inTrend = (periods: readonly { total_operations: number }[]): number =>
    periods.reduce((sum, period) => sum + period.total_operations, 0);
  return (
    users.length === global.total_users &&
    overview.operations === global.total_interactions &&
    inTrend(days) === overview.operations - overview.without_time &&
    operations === first.total_operations &&
    inTrend(ofUser) <= operations
  );
}

/** @throws CorruptDataError if each recorded interaction would be refused, because another program's column has no value. */
async function assertRecordable(tables: PostgresTables, { names }: Tables): Promise<void> {
  const client = (await tables.connect()) as PoolClient;
  try {
    const { rows } = await client.query<{ name: string; of: string }>(
      `SELECT attname AS name, attrelid::regclass::text AS of FROM pg_attribute
       WHERE attrelid IN ($1::regclass, $2::regclass) AND attnum > 0 AND attnotnull AND NOT atthasdef AND attidentity = ''
         AND attname NOT IN ('id', 'user_id', 'level', 'success', 'recorded_by', 'interaction_id', 'metadata')`,
      [names.interactions, names.interactionMetadata],
    );
    for (const { name, of } of rows)
      throw new CorruptDataError(
        `the column ${name} of ${of} is NOT NULL and has no default, so no interaction can be recorded. Give it a default, or drop the column or its constraint.`,
        { path: tables.place },
      );
  } finally {
    client.release();
  }
}

function conclude(report: ServersReport): void {
  const statuses = report.servers.map(({ status }) => status);
  report.exit_code = exitCodeOf(statuses);
  const counted = WORDS.flatMap(([status, words]) => {
    const count = statuses.filter((each) => each === status).length;
    return count === 0 ? [] : [`${count} ${words}`];
  });
  const isInOrder = statuses.every((status) => status === "verified");
  report.summary = `Compared: ${counted.join(", ")}.${
    isInOrder ? " The statistics match all rows, every pattern can be read, and no sequence is behind its table." : ""
  }`;
}

const WORDS: readonly (readonly [ServerReport["status"], string])[] = [
  ["verified", "verified"],
  ["differs", "different"],
  ["in_use", "in use"],
  ["failed", "failed"],
];

/** Finds counters that are behind their tables. Skips those that this role may not read. */
async function countersBehind(tables: PostgresTables, { names }: Tables): Promise<CounterBehind[]> {
  const client = (await tables.connect()) as PoolClient;
  try {
    await tables.begin(client, "read");
    const behind: CounterBehind[] = [];
    for (const [table, name, column] of [
      ["interactions", names.interactions, "id"],
      ["pattern_usage", names.patternUsage, "id"],
      ["patterns", names.patterns, "position"],
    ] as const) {
      const { rows } = await client.query<{ last: string; highest: string }>(
        `SELECT last::text AS last, highest::text AS highest
         FROM pg_get_serial_sequence($1, '${column}') AS found (name), LATERAL (SELECT name::regclass) AS given (counter),
           LATERAL (SELECT coalesce(pg_sequence_last_value(counter), 0), (SELECT coalesce(max(${column}), 0) FROM ${name})
             WHERE has_sequence_privilege(counter, 'SELECT')) AS state (last, highest)
         WHERE last < highest`,
        [name],
      );
      behind.push(...rows.map((row) => ({ table, column, ...row })));
    }
    return behind;
  } finally {
    client.release(true);
  }
}

/** A command that counts all rows of a schema again and corrects its statistics. */
function recountCommand(place: string, schema: string): string {
  return ["node", "-e", PROGRAM, place, schema].map((word) => shellWord(word)).join(" ");
}

const PROGRAM = `import("@perdura/postgres").then(async ({ PostgresMetricsCollector }) => {
  const metrics = new PostgresMetricsCollector(process.argv[1], { schema: process.argv[2] });
  console.log(await metrics.recount());
  await metrics.close();
})`.replaceAll(/\n\s*/g, " ");

function newReport(): ServersReport {
  return {
    format: "perdura-servers-report",
    format_version: 1,
    command: "verify",
    tool_version: VERSION,
    started_at: new Date().toISOString(),
    finished_at: "",
    exit_code: exitCodeOf([]),
    summary: "",
    servers: [],
  };
}

function newServerReport(place: string, schema: string): ServerReport {
  return {
    place,
    schema,
    status: "failed",
    reason: null,
    users: 0,
    wrong_users: [],
    wrong_user_count: 0,
    wrong_totals: false,
    patterns: 0,
    invalid_patterns: [],
    invalid_pattern_count: 0,
    counters_behind: [],
    orphaned_metadata: 0,
    recount: null,
  };
}
