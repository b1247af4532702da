import { nameOf, textOf } from "@perdura/cli/names.js";
import { countText, numberText, sizeText } from "@perdura/cli/quantities.js";
import { type Paint, printable } from "@perdura/cli/terminal.js";
import type { DatabaseReport, MigrationReport, OddRows } from "../core/report.ts";
import { heading, isForecast, reasonLines } from "./show_heading.ts";
import { showHistory } from "./show_history.ts";
import { showAssumedLevels, showMissingLevels } from "./show_levels.ts";
import { showProof } from "./show_proof.ts";
import { showUnited } from "./show_united.ts";

/** What was found in a database and done with it, as lines. */
export function showDatabase(database: DatabaseReport, report: MigrationReport, paint: Paint): string[] {
  const { status, tables, odd_rows: odd, disk, backup, verification } = database;
  // What `status` tells of assumed levels and united rows is what a migration once did.
  const done = DONE.has(status) || report.command === "status";
  return [
    heading(database.path, database.bytes, status, paint),
    ...(database.layout_title === null ? [] : [`  ${printable(database.layout_title)}`]),
    ...(tables.length === 0
      ? []
      : [`  ${tables.map(({ table, rows }) => `${printable(table)}: ${countText(rows, "row")}`).join(", ")}`]),
    ...odd.map(showOdd),
    ...showMissingLevels(database.missing_levels),
    ...(report.command === "status" ? showHistory(database) : showSteps(database)),
    ...showUnited(database.united, done),
    ...showAssumedLevels(database.assumed_levels, done),
    ...database.notes.map((note) => `  note: ${textOf(note)}`),
    ...(disk === null || done
      ? []
      : [`  disk: ${sizeText(disk.needed_bytes)} needed at most, ${sizeText(disk.free_bytes)} free`]),
    ...(backup === null || !backup.kept
      ? []
      : [`  backup: ${nameOf(backup.path)} (${sizeText(backup.bytes)}, sha256 ${backup.sha256.slice(0, 16)}…)`]),
    ...database.removed.map((path) => `  ${isForecast(report) ? "would remove" : "removed"}: ${nameOf(path)}`),
    ...(verification === null ? [] : showProof(verification, report.command)),
    ...reasonLines(database.reason, status, paint),
  ];
}

const WITH_STEPS: ReadonlySet<DatabaseReport["status"]> = new Set(["planned", "refused", "not_started"]);
const DONE: ReadonlySet<DatabaseReport["status"]> = new Set(["migrated", "rehearsed", "reverted", "restored"]);

function showSteps({ status, steps }: DatabaseReport): string[] {
  if (DONE.has(status)) return steps.map((step) => `  done: ${printable(step)}`);
  return WITH_STEPS.has(status) ? steps.map((step, index) => `  ${index + 1}. ${printable(step)}`) : [];
}

function showOdd({ kind, rows, description, values, row_ids: ids, blocks }: OddRows): string {
  const shown = values.map(({ literal, rows: held }) => `${printable(literal)} ×${numberText(held)}`).join(", ");
  const where = blocks && ids.length > 0 ? [idsText(ids, rows)] : [];
  const details = [...(shown === "" ? [] : [shown]), ...where].join("; ");
  const isPattern = kind.startsWith("pattern_");
  const fate = isPattern
    ? blocks
      ? "not readable in version 16"
      : "to be repaired"
    : blocks
      ? "not possible in version 16"
      : "kept as found";
  return `  ${countText(rows, isPattern ? "pattern" : "row")}: ${description}${details.length === 0 ? "" : ` (${details})`}: ${fate}`;
}

/** Whoever wants to correct the rows needs to find them. */
function idsText(ids: readonly string[], rows: number): string {
  return `${ids.length === 1 ? "id" : "ids"} ${ids.map(printable).join(", ")}${rows > ids.length ? ", …" : ""}`;
}
