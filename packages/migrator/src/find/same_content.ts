import { createHash } from "node:crypto";
import { isPerduraError } from "@perdura/internals/errors/errors.js";
import { isRollupTable } from "@perdura/internals/metrics/rollup/handover.js";
import { columnsOf, hasRowid, tableNames } from "@perdura/internals/sqlite/catalog.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { sqlName } from "@perdura/internals/text/quoted_sql.js";
import type { HasSettings } from "../core/options.ts";
import type { Progress } from "../core/progress.ts";
import { Stop } from "../core/stop.ts";
import { metricsTables } from "../database/layouts/table_layouts.ts";
import { attachBackup, countAll, countUnequal, countUnequalInPieces } from "../database/proof/comparison.ts";
import { OWN_TABLES } from "../database/record/side_tables.ts";
import { rowIdName } from "../database/sql/row_id.ts";
import { sqlNames } from "../database/sql/sql_text.ts";
import type { Workers } from "../io/child/workers.ts";
import { openReadable, readablePlace, withReadable } from "../io/readable_database.ts";

/** A database file. */
export interface DatabaseFile {
  path: string;
  /** True if the header says WAL mode. */
  wal: boolean;
}

/** Summary that shows, without reading every row, which databases can be copies of each other. */
export interface Outline {
  /** Equal for a database and its earlier states: its tables and its first row. */
  beginning: string;
  /** False if it has patterns but no usage of them: many agents start with the same patterns. */
  hasHistory: boolean;
}

/** Part of a database that another one contains; rows are equal in every column, including ids. */
type Share = "all" | "all, and no more" | "not all";

/** Tables whose rows have a time, so that two programs do not write equal ones. */
const history = (): string[] => [...metricsTables(), "pattern_usage"];

/** Returns undefined for a database without rows that distinguish it from others, and for an unreadable one. */
export function outlineOf(file: DatabaseFile, run: Progress & HasSettings & Workers): Promise<Outline | undefined> {
  return readable(file, run, (path) =>
    withReadable({ path }, file.path, run, (database) => {
      const tables = comparedTables(database);
      const filled = [...history(), "patterns"].flatMap((name) => {
        const table = tables.find((one) => one.name.toLowerCase() === name);
        const row =
          table &&
          database
            .prepare(`SELECT * FROM main.${sqlName(table.name)} ORDER BY ${sqlNames(table.keys)} LIMIT 1`)
            .raw()
            .get();
        return row === undefined ? [] : [{ name, row }];
      });
      const [telling] = filled;
      if (telling === undefined) return undefined;
      const text = JSON.stringify([tables, telling]);
      return {
        beginning: createHash("sha256").update(text).digest("hex"),
        hasHistory: filled.some(({ name }) => history().includes(name)),
      };
    }),
  );
}

/** Compares two databases with the same {@link Outline.beginning}. */
export async function shareIn(
  other: DatabaseFile,
  file: DatabaseFile,
  run: Progress & HasSettings & Workers,
): Promise<Share> {
  const share = await readable(other, run, (there) =>
    readable(file, run, async (here) => {
      const place = { path: here, remove: () => undefined };
      const database = openReadable(place, file.path, run.settings.busyTimeoutMs);
      try {
        attachBackup(database, there);
        let isAllOfIt = true;
        for (const table of comparedTables(database)) {
          const { rows, unequal } = await compare(database, table, { path: file.path, other: other.path, run });
          if (unequal > 0) return "not all";
          isAllOfIt &&= rows === countAll(database, "backup", table.name);
        }
        return isAllOfIt ? "all, and no more" : "all";
      } finally {
        database.close();
      }
    }),
  );
  return share ?? "not all";
}

interface ComparedTable {
  name: string;
  columns: string[];
  /** Columns that identify its rows. */
  keys: string[];
  /** The row id, or null for a table without one. */
  rowId: string | null;
}

/** All tables except for those that perdura can rebuild, and those of `up`. */
function comparedTables(database: Database): ComparedTable[] {
  const textOf = database.prepare("SELECT sql FROM main.sqlite_schema WHERE type = 'table' AND name = ?").pluck();
  return tableNames(database)
    .ordinary.filter((name) => !OWN_TABLES.has(name.toLowerCase()) && !/^sqlite_/i.test(name))
    .filter((name) => !isRollupTable(name, textOf.get(name) as string | null))
    .map((name) => {
      const found = columnsOf(database, name);
      const columns = found.map((column) => column.name);
      const rowId = hasRowid(database, name) ? rowIdName(name, columns) : null;
      const key = found.filter(({ pk }) => pk > 0).map((column) => column.name);
      return { name, columns, keys: key.length === 0 ? [rowId as string] : key, rowId };
    })
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

/** Counts the rows of a table, and those that differ from the attached table. */
function compare(
  database: Database,
  { name: table, columns, keys, rowId }: ComparedTable,
  { path, other, run }: { path: string; other: string; run: Progress },
): Promise<{ rows: number; unequal: number }> {
  const comparison = {
    left: { schema: "main", table, columns },
    right: { schema: "backup", table, columns },
    keys: keys.map((key) => [key, key] as const),
  } as const;
  if (rowId === null) return Promise.resolve(countUnequal(database, comparison));
  const step = { path, stage: "discover", detail: `comparing with ${other}` } as const;
  return run.inPieces(step, countUnequalInPieces(database, comparison, rowId));
}

/** Opens a database for reading; undefined if that fails, which the plan will report. */
async function readable<Result>(
  { path, wal }: DatabaseFile,
  run: Progress & HasSettings & Workers,
  read: (path: string) => Result | Promise<Result>,
): Promise<Result | undefined> {
  try {
    const place = await readablePlace(path, wal, run.files, run.settings.busyTimeoutMs);
    try {
      return await read(place.path);
    } finally {
      place.remove();
    }
  } catch (error) {
    run.assertNotInterrupted();
    const { code } = error as { code?: string };
    if (error instanceof Stop || isPerduraError(error) || code?.startsWith("SQLITE_") === true) return undefined;
    throw error;
  }
}
