import { has, valueOf } from "@perdura/cli/option_table.js";
import { printLine } from "@perdura/cli/lost_output.js";
import { nameOf, textOf } from "@perdura/cli/names.js";
import type { ProgressPrinter } from "@perdura/cli/progress_printer.js";
import { countText } from "@perdura/cli/quantities.js";
import { jsonText, paintFor, printable, widthOf } from "@perdura/cli/terminal.js";
import { wrap } from "@perdura/cli/wrap.js";
import { type ServerReport, type ServersReport, verifyServers } from "../commands/verify_servers.ts";
import type { Arguments } from "./arguments.ts";

/** Verifies schemas in PostgreSQL, and prints what was found. */
export async function verifyServersCommand(
  given: Arguments,
  progress: ProgressPrinter,
  signal: AbortSignal,
): Promise<{ code: number; done: string }> {
  const options = { schema: valueOf(given, "schema"), onProgress: progress.print, signal };
  const report = await verifyServers(given.targets, options).finally(progress.clear);
  const paint = paintFor(process.stdout, !has(given, "no-color"));
  const summary = (report.exit_code === 0 ? paint.good : paint.bad)(textOf(report.summary));
  if (has(given, "json")) printLine(jsonText(report, 2));
  else if (has(given, "quiet")) printLine(summary);
  else {
    const width = widthOf(process.stdout);
    const blocks = report.servers.map((server) => wrap(showServer(server).join("\n"), width));
    printLine([...blocks, wrap(summary, width), ...recounts(report)].join("\n\n"));
  }
  return { code: report.exit_code, done: report.summary };
}

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

/** Commands are not wrapped: they are pasted. */
function recounts({ servers }: ServersReport): string[] {
  const commands = servers.flatMap(({ recount }) => (recount === null ? [] : [recount]));
  if (commands.length === 0) return [];
  return [
    `To count all rows again and correct the statistics (a password goes into PGPASSWORD):\n${commands.map((command) => `  ${command}`).join("\n")}`,
  ];
}
