import { EXIT, type ExitCode } from "@perdura/cli/exit_codes.js";
import { valueOf } from "@perdura/cli/option_table.js";
import { nameOf, textOf } from "@perdura/cli/names.js";
import { countText } from "@perdura/cli/quantities.js";
import type { Runner } from "@perdura/cli/run_program.js";
import { printable } from "@perdura/cli/terminal.js";
import { wrap } from "@perdura/cli/wrap.js";
import { isPostgresAddress } from "@perdura/internals/text/addresses.js";
import { type ServerReport, type ServersReport, verifyServers } from "../commands/verify_servers.ts";
import { verifyData } from "./data_commands.ts";
import type { Command, OptionName } from "./table.ts";

/** Verifies files and directories, or schemas in PostgreSQL. */
export const verify: Runner<Command, OptionName> = (given, tools) =>
  given.words.every(isPostgresAddress) ? verifySchemas(given, tools) : verifyData(given, tools);

const verifySchemas: Runner<Command, OptionName> = async (given, { progress, signal, paint, width }) => {
  const options = { schema: valueOf(given, "schema"), onProgress: progress.print, signal };
  const report = await verifyServers(given.words, options);
  const colour = report.exit_code === EXIT.done ? paint.good : paint.bad;
  const summary = colour(textOf(report.summary));
  const blocks = report.servers.map((server) => wrap(showServer(server).join("\n"), width));
  return {
    code: report.exit_code as ExitCode,
    summary,
    done: report.summary,
    document: report,
    text: `${[...blocks, wrap(summary, width), ...recounts(report)].join("\n\n")}\n`,
    // Commands are to be pasted in one piece.
    isLaidOut: true,
  };
};

function showServer(server: ServerReport): string[] {
  const lines = [`${nameOf(server.place)}, schema ${nameOf(server.schema)}: ${server.status.replace("_", " ")}`];
  if (server.reason !== null) return [...lines, `  ${textOf(server.reason)}`];
  lines.push(`  ${statistics(server)}`);
  if (server.wrong_totals) lines.push("  statistics: the numbers of all users together are not those of their sums");
  const invalid = server.invalid_pattern_count;
  lines.push(
    `  patterns: ${countText(server.patterns, "pattern")}${invalid === 0 ? "" : `, and ${invalid} that version 16 cannot read`}`,
  );
  for (const { pattern, reason } of server.invalid_patterns)
    lines.push(`    ${printable(pattern)}: ${printable(reason)}`);
  for (const { table, column, last, highest } of server.counters_behind)
    lines.push(
      `  counters: that of ${table}.${column} is at ${last}, and the table has numbers up to ${highest}; perdura puts it right when it next writes there, other programs meet numbers that are taken`,
    );
  return lines;
}

function statistics({ users, wrong_users: wrong, wrong_user_count: count }: ServerReport): string {
  if (users === null) return "statistics: nothing to compare; an earlier version of perdura made the tables";
  if (count === 0) return `statistics: ${countText(users, "user")}`;
  const more = count > wrong.length ? `, and ${count - wrong.length} more` : "";
  return `statistics: ${countText(users, "user")}; those of ${count} differ from their rows: ${wrong.map(printable).join(", ")}${more}`;
}

function recounts({ servers }: ServersReport): string[] {
  const commands = servers.flatMap(({ recount }) => (recount === null ? [] : [recount]));
  if (commands.length === 0) return [];
  return [
    `To count all rows again and correct the statistics (a password goes into PGPASSWORD):\n${commands.map((command) => `  ${command}`).join("\n")}`,
  ];
}
