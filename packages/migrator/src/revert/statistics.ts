import type { Database } from "@perdura/internals/sqlite/open_database.js";
import type { Step } from "../databases/step.ts";
import { DamagedRecord } from "../record/damaged_record.ts";
import { RECORD_TABLE } from "../record/migration_record.ts";
import type { Snapshot } from "../record/snapshot.ts";
import type { OldForm } from "./old_form.ts";
import { assertLiterals } from "./recorded_values.ts";

/**
 * Statistics that ANALYZE made before the migration fit the old layout as they fitted it then. Where it ran again since,
 * they stay as SQLite leaves them.
 *
 * @param now The statistics as they are.
 */
export function statisticsSteps({ records, base, former }: OldForm, now: Snapshot["statistics"]): Step[] {
  const since = records.slice(base);
  const isUntouched = since.every(({ result }, index) =>
    isEqual(result.statistics, since[index + 1]?.former.statistics ?? now),
  );
  if (!isUntouched || isEqual(former.statistics, now)) return [];
  return [
    {
      title: "put the statistics of ANALYZE back",
      run: (database) => {
        for (const [table, rows] of Object.entries(former.statistics)) putBack(database, table, rows);
      },
    },
  ];
}

function putBack(database: Database, table: string, rows: readonly string[][]): void {
  assertLiterals(rows.flat());
  if (!/^sqlite_stat\d$/.test(table))
    throw new DamagedRecord(RECORD_TABLE, `it has statistics of ANALYZE for ${table}, which is no table of SQLite`);
  // An empty twin has no statistics.
  if (database.prepare("SELECT 1 FROM main.sqlite_schema WHERE name = ?").get(table) === undefined) return;
  database.exec(`DELETE FROM main.${table}`);
  for (const row of rows) database.prepare(`INSERT INTO main.${table} VALUES (${row.join(", ")})`).run();
}

function isEqual(one: Snapshot["statistics"], other: Snapshot["statistics"]): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
