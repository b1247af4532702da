import { relative } from "node:path";
import type { DatabaseReport, ItemStatus, MigrationReport, OddRows, StateDirectoryReport } from "../report/report.ts";
import { countText, type Paint, printable, sizeText } from "./terminal.ts";

/** How many things of one kind are listed. */
const LISTED = 10;

const STATUS: Record<ItemStatus, string> = {
  planned: "to do",
  migrated: "migrated",
  archived: "archived",
  nothing_to_do: "nothing to do",
  left_alone: "left alone",
  refused: "needs a decision",
  in_use: "in use",
  failed: "failed",
  interrupted: "interrupted",
  not_started: "not started",
  verified: "verified",
  differs: "differs",
  uncertain: "uncertain",
  not_compared: "not compared",
};

const BAD: readonly ItemStatus[] = [
  "refused",
  "in_use",
  "failed",
  "interrupted",
  "differs",
  "uncertain",
  "not_started",
];

/** The report as lines for a person. */
export function showReport(report: MigrationReport, paint: Paint, quiet: boolean): string {
  const summary = (report.exit_code === 0 ? paint.good : paint.bad)(report.summary);
  if (quiet) return summary;
  const blocks = [
    ...report.databases.map((database) => showDatabase(database, report.command, paint)),
    ...report.state_directories.map((directory) => showStates(directory, paint)),
    ...showList("needs a decision", report.refused, paint),
    ...showList("left alone", report.left_alone, paint),
    report.notes.map((note) => `note: ${printable(note)}`),
    report.report_path === null ? [] : [`Report: ${name(report.report_path)}`],
    [summary],
  ];
  return blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n");
}

function showDatabase(database: DatabaseReport, command: MigrationReport["command"], paint: Paint): string[] {
  const { status, tables, odd_rows: odd, steps, backup, verification, disk } = database;
  const done = status === "migrated";
  const lists = status === "planned" || done || status === "refused" || status === "not_started";
  return [
    heading(database.path, status, paint, sizeText(database.bytes)),
    ...(database.layout_title === null ? [] : [`  ${database.layout_title}`]),
    ...(tables.length === 0
      ? []
      : [`  ${tables.map(({ table, rows }) => `${table}: ${countText(rows, "row")}`).join(", ")}`]),
    ...odd.map(showOdd),
    ...(lists ? steps.map((step, index) => `  ${done ? "done:" : `${index + 1}.`} ${printable(step)}`) : []),
    ...database.notes.map((note) => `  note: ${printable(note)}`),
    ...(disk === null || done
      ? []
      : [`  disk: ${sizeText(disk.needed_bytes)} needed at most, ${sizeText(disk.free_bytes)} free`]),
    ...(backup === null || !backup.kept
      ? []
      : [`  backup: ${name(backup.path)} (${sizeText(backup.bytes)}, sha256 ${backup.sha256.slice(0, 16)}…)`]),
    ...(verification === null ? [] : showProof(verification, command)),
    ...reason(database.reason, paint, status),
  ];
}

function showOdd({ rows, description, values, blocks }: OddRows): string {
  const shown = values.map(({ literal, rows: held }) => `${printable(literal)} ×${held}`).join(", ");
  return `  ${countText(rows, "row")}: ${description} (${shown}): ${blocks ? "not possible in version 16" : "kept as found"}`;
}

function showProof(
  verification: NonNullable<DatabaseReport["verification"]>,
  command: MigrationReport["command"],
): string[] {
  const {
    rows_before: before,
    rows_after: after,
    rows_quarantined: aside,
    metadata_rows: metadata,
    rows_added_since: added,
    other_tables: others,
    differences,
  } = verification;
  const parts = [
    ...(before === null
      ? []
      : [
          `${countText(before, "row")} before, ${(after ?? 0).toLocaleString("en-US")} after${aside > 0 ? ` and ${aside.toLocaleString("en-US")} in quarantine` : ""}`,
        ]),
    ...(metadata === 0 ? [] : [`${countText(metadata, "metadata text")}`]),
    ...others.map(
      ({ table, rows, changed_since: changed }) =>
        `${printable(table)}: ${countText(rows, "row")}${changed > 0 ? ` (${changed.toLocaleString("en-US")} changed or deleted since)` : ""}`,
    ),
    ...(added === 0 ? [] : [`${countText(added, "row")} recorded since`]),
  ];
  const verdict = differences.length > 0 ? differences.map(printable).join("; ") : equality(others);
  const proved = command !== "verify" && differences.length === 0;
  return [`  ${proved ? "proved" : "compared"}: ${[...parts, verdict].join("; ")}`];
}

/** Nothing is called equal that is not: programs of 16 may change other tables, and somebody else may have. */
function equality(others: NonNullable<DatabaseReport["verification"]>["other_tables"]): string {
  return others.every(({ changed_since: changed }) => changed === 0)
    ? "every value and storage class equal"
    : "nothing else differs";
}

function showStates(directory: StateDirectoryReport, paint: Paint): string[] {
  const broken = directory.states_broken;
  return [
    heading(`${directory.path}/`, directory.status, paint, sizeText(directory.bytes)),
    `  ${countText(directory.entries, "entry", "entries")}${directory.entries === 0 ? "" : `: ${countText(directory.states_ok, "state")}, ${broken.length} broken`}`,
    ...showFiles("broken, archived as it is", broken),
    ...showFiles("kept", directory.states_odd),
    ...directory.notes.map((note) => `  note: ${printable(note)}`),
    ...(directory.archive === null
      ? []
      : [
          `  archive: ${name(directory.archive.path)}${directory.status === "planned" ? "; the directory stays as it is" : ""}`,
        ]),
    ...directory.differences.map((difference) => `  differs: ${printable(difference)}`),
    ...reason(directory.reason, paint, directory.status),
  ];
}

function showFiles(label: string, files: readonly { file: string; reason: string }[]): string[] {
  const lines = files
    .slice(0, LISTED)
    .map(({ file, reason: why }) => `  ${label}: ${printable(file)}: ${printable(why)}`);
  return files.length > LISTED ? [...lines, `  and ${files.length - LISTED} more (see --json)`] : lines;
}

function showList(title: string, items: readonly { path: string; reason: string }[], paint: Paint): string[][] {
  if (items.length === 0) return [];
  const rest = items.length - LISTED;
  return [
    [
      paint.bold(title),
      ...items.slice(0, LISTED).map(({ path, reason: why }) => `  ${name(path)}: ${printable(why)}`),
      ...(rest > 0 ? [`  and ${rest} more (see --json)`] : []),
    ],
  ];
}

function heading(path: string, status: ItemStatus, paint: Paint, size: string): string {
  return `${paint.bold(name(path))}  ${size}  ${(BAD.includes(status) ? paint.bad : paint.good)(`[${STATUS[status]}]`)}`;
}

function reason(text: string | null, paint: Paint, status: ItemStatus): string[] {
  return text === null ? [] : [`  ${(BAD.includes(status) ? paint.bad : String)(printable(text))}`];
}

/** The shorter of the absolute and the relative path. */
function name(path: string): string {
  const near = relative(process.cwd(), path) + (path.endsWith("/") ? "/" : "");
  return printable(near !== "" && near.length < path.length ? near : path);
}
