import { shownPath, shownText } from "@perdura/cli/shown_paths.js";
import { countText, numberText, sizeText, timeText } from "@perdura/cli/quantities.js";
import { type Paint, printable } from "@perdura/cli/terminal.js";
import type {
  AssumedLevels,
  DatabaseReport,
  MigrationReport,
  MissingLevels,
  UnusualRows,
  OtherTable,
  MergedRows,
  VerificationReport,
} from "../../core/report.ts";
import { heading, isForecast, reasonLines } from "./heading.ts";

/** Renders the report on a database as lines. */
export function showDatabase(database: DatabaseReport, report: MigrationReport, paint: Paint): string[] {
  const { status, tables, unusual_rows: unusual, disk, backup, verification } = database;
  // The assumed levels and merged rows that `status` reports are those of past migrations.
  const done = DONE.has(status) || report.command === "status";
  return [
    heading(database.path, database.bytes, status, paint),
    ...(database.layout_title === null ? [] : [`  ${printable(database.layout_title)}`]),
    ...(tables.length === 0
      ? []
      : [`  ${tables.map(({ table, rows }) => `${printable(table)}: ${countText(rows, "row")}`).join(", ")}`]),
    ...unusual.flatMap((rows) => showUnusual(rows, DONE.has(status))),
    ...showMissingLevels(database.missing_levels),
    ...(report.command === "status" ? showHistory(database) : showSteps(database)),
    ...showMerged(database.merged, done),
    ...showAssumedLevels(database.assumed_levels, done),
    ...database.notes.map((note) => `  note: ${shownText(note)}`),
    ...(disk === null || done
      ? []
      : [`  disk: ${sizeText(disk.needed_bytes)} needed at most, ${sizeText(disk.free_bytes)} free`]),
    ...(backup === null || !backup.kept
      ? []
      : [`  backup: ${shownPath(backup.path)} (${sizeText(backup.bytes)}, sha256 ${backup.sha256.slice(0, 16)}…)`]),
    ...database.removed.map((path) => `  ${isForecast(report) ? "would remove" : "removed"}: ${shownPath(path)}`),
    ...(verification === null ? [] : showProof(verification, report.command)),
    ...reasonLines(database.reason, status, paint),
  ];
}

const WITH_STEPS: ReadonlySet<DatabaseReport["status"]> = new Set(["planned", "refused", "not_started"]);
const DONE: ReadonlySet<DatabaseReport["status"]> = new Set(["migrated", "rehearsed", "downgraded", "restored"]);

function showSteps({ status, steps }: DatabaseReport): string[] {
  if (DONE.has(status)) return steps.map((step) => `  done: ${printable(step)}`);
  return WITH_STEPS.has(status) ? steps.map((step, index) => `  ${index + 1}. ${printable(step)}`) : [];
}

function showUnusual(unusual: UnusualRows, done: boolean): string[] {
  const { kind, rows, description, values, row_ids: ids, blocks, ways = [], places = [], repair } = unusual;
  const shown = values.map(({ literal, rows: held }) => `${printable(literal)} ×${numberText(held)}`).join(", ");
  const isPart = kind.startsWith("library_");
  const where = blocks && !isPart && ids.length > 0 ? [idsText(ids, rows)] : [];
  const at = blocks && places.length > 0 ? [`at ${printable(places[0] ?? "")}${places.length > 1 ? ", …" : ""}`] : [];
  const details = [...(shown === "" ? [] : [shown]), ...where, ...at].join("; ");
  const noun = isPart ? "value" : isOfPatterns(kind) ? "pattern" : "row";
  const line = `  ${countText(rows, noun)}: ${description}${details.length === 0 ? "" : ` (${details})`}: ${fateOf(unusual, done)}`;
  if (!blocks) return [repair === undefined ? line : `${line} (${repair})`];
  return [line, ...(done ? [] : ways.map(({ option, result }) => `    ${option}: ${result}`))];
}

function isOfPatterns(kind: string): boolean {
  return kind.startsWith("pattern_") || kind.startsWith("library_");
}

function fateOf({ kind, blocks, ways = [] }: UnusualRows, done: boolean): string {
  if (blocks && !done) return "invalid in version 16";
  // Repairs may be possible for some patterns of a kind only.
  if (blocks) return ways.length === 0 ? "moved to quarantine" : "repaired, or moved to quarantine";
  if (!isOfPatterns(kind)) return "kept unchanged";
  return done ? "repaired" : "to be repaired";
}

/** An operator needs the ids to find and correct the rows. */
function idsText(ids: readonly string[], rows: number): string {
  return `${ids.length === 1 ? "id" : "ids"} ${ids.map(printable).join(", ")}${rows > ids.length ? ", …" : ""}`;
}

/** `status`: past migrations, existing backups, and pending steps. */
function showHistory({ history, backups, steps, status }: DatabaseReport): string[] {
  return [
    ...history.map(
      ({ migrated_at: time, tool_version: version, layout, fence }) =>
        `  migrated: ${printable(timeText(time))} by perdura-migrate ${printable(version)} from ${printable(layout)}${fence === null ? "" : `, fence ${fence}`}`,
    ),
    ...backups.map(({ path, bytes }) => `  backup: ${shownPath(path)} (${sizeText(bytes)})`),
    ...(status === "planned" ? pendingSteps(steps, history.length > 0) : []),
  ];
}

function pendingSteps(steps: readonly string[], migrated: boolean): string[] {
  return migrated ? steps.map((step) => `  to do: ${printable(step)}`) : ["  to do: migrate it"];
}

/** Maximum number of users that are named. */
const NAMED = 8;

/** Describes lost levels and the choices. */
function showMissingLevels(missing: MissingLevels | null): string[] {
  if (missing === null) return [];
  const { rows, users, users_with_state: known, users_without_state: without, explanation, choices } = missing;
  return [
    `  without a level: ${countText(rows, "row")} of ${countText(users, "user")}`,
    ...sentences(explanation).map((sentence) => `  ${printable(sentence)}`),
    ...(known === null
      ? []
      : [`  ${countText(known, "user")} with a level in a collaboration state${moreUsers(users - known, without)}`]),
    ...(choices.length === 0 ? [] : ["  Choices:"]),
    ...choices.map(({ option, meaning }) => `    ${option}: ${printable(meaning)}`),
  ];
}

/** One sentence per line: the explanation is long. */
function sentences(text: string): string[] {
  return text.split(/(?<=[.!?]) (?=\p{Lu})/u);
}

function moreUsers(count: number, named: readonly string[]): string {
  if (count <= 0) return "";
  const shown = named.slice(0, NAMED).map((user) => JSON.stringify(user));
  const rest = count > shown.length ? ", …" : "";
  return `; ${countText(count, "user")} without${shown.length === 0 ? "" : `: ${printable(shown.join(", "))}${rest}`}`;
}

const SOURCES: Record<AssumedLevels["source"], string> = {
  option: "by --missing-level",
  table: "from another table of the database",
  file: "from a copy of the database",
  state: "from the collaboration states of the users",
  kept: "kept by the last downgrade",
};

/** Levels that were not in the data. `done` is false for a forecast. */
function showAssumedLevels(assumed: readonly AssumedLevels[], done: boolean): string[] {
  const verb = done ? "assumed" : "to be assumed";
  return assumed.map(
    ({ level, rows, users, source }) =>
      `  ${verb}: level ${level} for ${countText(rows, "row")}${users === null ? "" : ` of ${countText(users, "user")}`}, ${SOURCES[source]}`,
  );
}

/** Renders the comparison and its result. */
function showProof(verification: VerificationReport, command: MigrationReport["command"]): string[] {
  const { rows_before: before, rows_after: after, rows_quarantined: quarantined, differences } = verification;
  const { metadata_rows: metadata, rows_added_since: added, other_tables: others } = verification;
  const backFrom = quarantined > 0 && command === "down" ? ` (${numberText(quarantined)} of them in quarantine)` : "";
  const into = quarantined > 0 && command !== "down" ? ` and ${numberText(quarantined)} in quarantine` : "";
  const parts = [
    ...(before === null
      ? []
      : [`${countText(before, "row")} before${backFrom}, ${numberText(after ?? 0)} after${into}`]),
    ...(metadata === 0 ? [] : [countText(metadata, "metadata text")]),
    ...others.map(
      ({ table, rows, ...apart }) => `${printable(table)}: ${countText(rows, "row")}${notesInBrackets(apart)}`,
    ),
    ...(added === 0 ? [] : [`${countText(added, "row")} recorded since`]),
  ];
  const word = (command === "up" || command === "down") && differences.length === 0 ? "proved" : "compared";
  if (differences.length === 0) return [`  ${word}: ${[...parts, equality(verification)].join("; ")}`];
  return [`  ${word}: ${parts.join("; ")}`, ...differences.map((difference) => `  differs: ${shownText(difference)}`)];
}

function notesInBrackets({
  quarantined,
  repaired,
  changed_since: changed,
}: Pick<OtherTable, "quarantined" | "repaired" | "changed_since">): string {
  const parts = [
    ...(quarantined > 0 ? [`${numberText(quarantined)} in quarantine`] : []),
    ...(repaired > 0 ? [`${countText(repaired, "value")} repaired`] : []),
    ...(changed > 0 ? [`${numberText(changed)} changed or deleted since`] : []),
  ];
  return parts.length === 0 ? "" : ` (${parts.join(", ")})`;
}

/**
 * Claims equality only for compared values: programs of 16 may change other tables, and so may third-party programs.
 */
function equality({ method, other_tables: others }: VerificationReport): string {
  if (others.some(({ changed_since: changed }) => changed > 0)) return "nothing else differs";
  if (others.some(({ repaired }) => repaired > 0)) return "all other values and storage classes equal";
  return method === "pages"
    ? "all pages equal except those of the schema, so all values are equal"
    : "all values and storage classes equal";
}

/** Describes the merge of the rows of a second table, done or planned. */
function showMerged(merged: MergedRows | null, done: boolean): string[] {
  if (merged === null) return [];
  const { table, rows, id_offset: offset, first_id: first, last_id: last } = merged;
  const verb = done ? "merged" : "to be merged";
  const ids = first === null || last === null ? "" : `; ${newIds(first, last, offset)}`;
  return [`  ${verb}: ${countText(rows, "row")} of ${printable(table)} into interactions${ids}`];
}

function newIds(first: number, last: number, offset: number): string {
  if (offset === 0)
    return first === last ? `id ${String(first)} unchanged` : `ids ${String(first)} to ${String(last)} unchanged`;
  const by = `old id ${offset < 0 ? "minus" : "plus"} ${numberText(Math.abs(offset))}`;
  // Ids have no separators: they are names.
  if (first === last) return `new id ${String(first)} (${by})`;
  return `new ids ${String(first)} to ${String(last)} (${by})`;
}
