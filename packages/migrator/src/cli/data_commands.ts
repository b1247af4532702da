import { EXIT } from "@perdura/cli/exit_codes.js";
import { shownPath, shownText } from "@perdura/cli/shown_paths.js";
import { has, valueOf } from "@perdura/cli/option_table.js";
import { countText } from "@perdura/cli/quantities.js";
import type { Result, Runner, Tools } from "@perdura/cli/run_program.js";
import { paintFor, printable } from "@perdura/cli/terminal.js";
import { wrap } from "@perdura/cli/wrap.js";
import { writeFileAtomically } from "@perdura/internals/files/atomic_write.js";
import { assertDocumentPlace } from "@perdura/internals/files/places.js";
import { isPostgresAddress } from "@perdura/internals/text/addresses.js";
import type { Confirm } from "../commands/change_command.ts";
import type { ServerReport, ServersReport } from "../commands/verify_servers.ts";
import { planMigration } from "../commands/plan.ts";
import type { AnyOptions } from "../core/options.ts";
import type { MigrationReport } from "../core/report.ts";
import { chooseTemporaryDirectory } from "../io/temporary_space.ts";
import { assertConfirmable, needsAnswer, showAndAsk } from "./confirm.ts";
import { migrationOptions } from "./migration_options.ts";
import { nextSteps } from "./render/next_steps.ts";
import { showReport, showSummary } from "./render/report.ts";
import type { Arguments, Command, OptionName } from "./table.ts";

type DataRunner = Runner<Command, OptionName>;

type Work = (targets: readonly string[], options: AnyOptions) => Promise<MigrationReport>;

/** Work between whose plan and first change the operator is asked. */
type Change = (targets: readonly string[], options: AnyOptions, confirm: Confirm) => Promise<MigrationReport>;

export const plan: DataRunner = reporting(async () => planMigration);

// The code of a plan is a part of the others. They load their own when they run, because reading all of it takes a
// considerable part of the time of one.

export const status: DataRunner = reporting(async () => (await import("../commands/status.ts")).migrationStatus);

/** Verifies files and directories, or schemas in PostgreSQL. */
export const verify: Runner<Command, OptionName> = (given, tools) =>
  given.words.every(isPostgresAddress) ? verifySchemas(given, tools) : verifyData(given, tools);

const verifyData: DataRunner = async (given, tools) => {
  const html = valueOf(given, "html");
  // Before the work, which may take long.
  if (html !== undefined) assertDocumentPlace("html", html);
  const options = prepared(given, tools);
  const { verifyMigration } = await import("../commands/verify.ts");
  const report = await verifyMigration(given.words, options);
  const result = resultOf(given, tools, report);
  if (html === undefined) return result;
  const { compareWithBackups } = await import("../commands/compare_with_backups.ts");
  const { comparisonPage } = await import("@perdura/summary/page/comparison_page.js");
  const { pageAccess } = await import("@perdura/summary/page/page_access.js");
  const comparison = await compareWithBackups(report, options);
  const page = comparisonPage(comparison);
  writeFileAtomically(html, (write) => write(page), pageAccess([comparison.before, comparison.after]));
  return { ...result, text: `${result.text}\n\nThe page is in ${shownPath(html)}.` };
};

export const up: DataRunner = confirming(
  async () => (await import("../commands/up.ts")).migrateIfConfirmed,
  "Run this plan now?",
);

export const down: DataRunner = confirming(
  async () => (await import("../commands/down.ts")).downgradeIfConfirmed,
  "Downgrade now?",
);

/** Its removals cannot be undone, so a script has to confirm them beforehand. */
export const prune: DataRunner = async (given, tools) => {
  assertConfirmable(given);
  const load = async (): Promise<Change> => (await import("../commands/prune.ts")).pruneIfConfirmed;
  return confirming(load, "Remove these files now?")(given, tools);
};

/** The options of a command, after a directory was chosen for SQLite's temporary files. */
function prepared(given: Arguments, tools: Tools): AnyOptions {
  chooseTemporaryDirectory(given.words);
  return migrationOptions(given, tools);
}

function reporting(load: () => Promise<Work>): DataRunner {
  return async (given, tools) => {
    const options = prepared(given, tools);
    const work = await load();
    return resultOf(given, tools, await work(given.words, options));
  };
}

/** Shows the plan and asks between the plan and the first change, if something would be done. */
function confirming(load: () => Promise<Change>, question: string): DataRunner {
  return async (given, tools) => {
    const confirm: Confirm = async (report) => {
      const shown = showReport(report, paintFor(process.stderr, !has(given, "no-color")), []);
      await showAndAsk(question, shown, tools);
    };
    const options = prepared(given, tools);
    const work = await load();
    return resultOf(given, tools, await work(given.words, options, needsAnswer(given) ? confirm : null));
  };
}

function resultOf(given: Arguments, { paint }: Tools, report: MigrationReport): Result {
  const { exit_code: code, summary, report_path: path } = report;
  return {
    code,
    summary: showSummary(report, paint),
    done: path === null ? summary : `${summary} The report is in ${path}.`,
    document: report,
    text: showReport(report, paint, nextSteps(report, given)),
  };
}

const verifySchemas: Runner<Command, OptionName> = async (given, { progress, signal, paint, width }) => {
  const options = { schema: valueOf(given, "schema"), onProgress: progress.print, signal };
  const { verifyServers } = await import("../commands/verify_servers.ts");
  const report = await verifyServers(given.words, options);
  const colour = report.exit_code === EXIT.done ? paint.good : paint.bad;
  const summary = colour(shownText(report.summary));
  const blocks = report.servers.map((server) => wrap(showServer(server).join("\n"), width));
  return {
    code: report.exit_code,
    summary,
    done: report.summary,
    document: report,
    text: `${[...blocks, wrap(summary, width), ...recounts(report)].join("\n\n")}\n`,
    // Commands must not be wrapped, so that they can be pasted.
    isLaidOut: true,
  };
};

function showServer(server: ServerReport): string[] {
  const lines = [`${shownPath(server.place)}, schema ${shownPath(server.schema)}: ${server.status.replace("_", " ")}`];
  if (server.reason !== null) return [...lines, `  ${shownText(server.reason)}`];
  lines.push(`  ${statistics(server)}`);
  if (server.wrong_totals) lines.push("  statistics: the totals of all users differ from the sums of the users");
  const invalid = server.invalid_pattern_count;
  lines.push(
    `  patterns: ${countText(server.patterns, "pattern")}${invalid === 0 ? "" : `; version 16 cannot read ${invalid} more`}`,
  );
  for (const { pattern, reason } of server.invalid_patterns)
    lines.push(`    ${printable(pattern)}: ${printable(reason)}`);
  for (const { table, column, last, highest } of server.counters_behind)
    lines.push(
      `  sequence of ${table}.${column}: last value ${last}, highest value in the table ${highest}. perdura corrects the sequence when it next writes to the table; until then, other programs can get values that are in use.`,
    );
  if (server.orphaned_metadata > 0)
    lines.push(
      `  ${countText(server.orphaned_metadata, "metadata text")} without an interaction, which another program left; see perdura-migrate forget --orphans`,
    );
  return lines;
}

function statistics({ users, wrong_users: wrong, wrong_user_count: count }: ServerReport): string {
  if (count === 0) return `statistics: ${countText(users, "user")}`;
  const more = count > wrong.length ? `, and ${count - wrong.length} more` : "";
  return `statistics: ${countText(users, "user")}; the statistics of ${count} differ from their rows: ${wrong.map(printable).join(", ")}${more}`;
}

function recounts({ servers }: ServersReport): string[] {
  const commands = servers.flatMap(({ recount }) => (recount === null ? [] : [recount]));
  if (commands.length === 0) return [];
  return [
    `To recount all rows and correct the statistics (put a password into PGPASSWORD):\n${commands.map((command) => `  ${command}`).join("\n")}`,
  ];
}
