import { sizeText, timeText } from "@perdura/cli/quantities.js";
import { type Column, Table } from "@perdura/cli/table.js";
import { type Paint, printable } from "@perdura/cli/terminal.js";
import type { BackupVersion } from "../layout/versions.ts";
import type { LockedVersion } from "../prune/remove_versions.ts";
import type { Verification } from "../transfer/verify.ts";

const FORMAT_NAMES = { json: "JSON", sqlite: "SQLite" };

/** A narrow terminal omits time and format first, because the name of a version contains both. */
const COLUMNS: readonly Column<BackupVersion>[] = [
  { title: "name", rank: 0, text: ({ name }) => printable(name) },
  { title: "version", rank: 2, text: ({ version }) => version },
  { title: "created", rank: 4, text: ({ created_at: at }) => timeText(at) },
  { title: "size", right: true, rank: 3, text: ({ size }) => sizeText(size) },
  { title: "format", rank: 5, text: ({ format }) => FORMAT_NAMES[format] },
];

const [NAME, VERSION, , SIZE] = COLUMNS as [
  Column<BackupVersion>,
  Column<BackupVersion>,
  unknown,
  Column<BackupVersion>,
];
const CHECKED: readonly Column<Verification>[] = [
  NAME,
  VERSION,
  SIZE,
  {
    title: "state",
    rank: 1,
    text: ({ problem }) => (problem === null ? "intact" : `not intact: ${printable(problem)}`),
  },
];

const LOCKED: readonly Column<LockedVersion>[] = [
  NAME,
  VERSION,
  SIZE,
  { title: "state", rank: 1, text: ({ reason }) => `locked: ${printable(reason)}` },
];

/** Versions as lines of a table, followed by a blank line; empty without versions. */
export function versionLines(versions: readonly BackupVersion[], width: number, paint: Paint): string[] {
  return linesOf(new Table(COLUMNS, versions, width), versions, paint);
}

/** The same table with the result of each verification; the caller wraps long lines. */
export function verificationLines(found: readonly Verification[], paint: Paint): string[] {
  return linesOf(new Table(CHECKED, found, Infinity), found, paint);
}

/** Versions that could not be removed, with the store's reason; the caller wraps long lines. */
export function lockedLines(found: readonly LockedVersion[], paint: Paint): string[] {
  return linesOf(new Table(LOCKED, found, Infinity), found, paint);
}

function linesOf<Row>(table: Table<Row>, rows: readonly Row[], paint: Paint): string[] {
  if (rows.length === 0) return [];
  return [paint.bold(table.title()), ...rows.map((row) => table.row(row)), ...table.omitted(), ""];
}
