import { countText } from "@perdura/cli/quantities.js";
import { hasRowid, hasTable } from "@perdura/internals/sqlite/catalog.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { sqlName, sqlText } from "@perdura/internals/text/quoted_sql.js";
import { agreeing } from "../../core/rows_text.ts";
import { Stop } from "../../core/stop.ts";
import { ID_INDEX } from "../layouts/pattern_tables.ts";
import { restoreUsage } from "../patterns/assigned_ids.ts";
import { PATTERN_TABLES, patternQuarantineColumns } from "../patterns/pattern_steps.ts";
import { type MigrationRecord, quarantinedBy } from "../record/migration_record.ts";
import { isStillRepaired, repairedColumns } from "../patterns/repaired_values.ts";
import { columnsOfQuarantine, countQuarantined, QUARANTINE_TABLE } from "../record/quarantine.ts";
import { hasOwn, REPAIRED_VALUES, REPAIRED_VALUES_TABLE } from "../record/side_tables.ts";
import { ignoringChecks } from "../sql/ignoring_checks.ts";
import { integerKey, rowIdName } from "../sql/row_id.ts";
import { changeRows, runForRows } from "../steps/fired_triggers.ts";
import type { Step } from "../steps/step.ts";
import { columnsOfTable, includesAll } from "../sql/catalog.ts";
import { countFrom } from "../sql/count_from.ts";

/** Rows of the quarantine that migrations took from a table of patterns. */
export interface QuarantinedPatterns {
  table: (typeof PATTERN_TABLES)[number];
  columns: string[];
  /** The quarantine's column with the former row ids, and the name of the row id; null for a table without one. */
  row: { kept: string; name: string } | null;
  /** SQL that is true for them, for an alias of the quarantine. */
  where: (alias: string) => string;
  rows: number;
}

/** Rows of the quarantine that return to tables of patterns. */
export function quarantinedPatterns(database: Database, records: readonly MigrationRecord[]): QuarantinedPatterns[] {
  const present = columnsOfQuarantine(database, "main");
  if (present === undefined) return [];
  const own = rowIdName(QUARANTINE_TABLE, present);
  const theirs = records.map((record) => quarantinedBy(record, own)).filter((where) => where !== undefined);
  return PATTERN_TABLES.flatMap((table): QuarantinedPatterns[] => {
    if (!hasTable(database, table) || theirs.length === 0) return [];
    const added = new Set(
      records
        .flatMap(({ former }) => former.libraries.flatMap(({ name, missing }) => (name === table ? missing : [])))
        .map(({ name }) => name),
    );
    const columns = columnsOfTable(database, table).filter((column) => !added.has(column.toLowerCase()));
    const { source, row } = patternQuarantineColumns(columns);
    if (!includesAll(present, [source, row, ...columns])) return [];
    const where = (alias: string): string =>
      `${alias}.${sqlName(source)} = ${sqlText(table)} AND (${theirs.map((isTheirs) => isTheirs(alias)).join(" OR ")})`;
    const rows = countQuarantined(database, where);
    const name = hasRowid(database, table) ? rowIdName(table, columns) : null;
    return rows === 0 ? [] : [{ table, columns, where, rows, row: name === null ? null : { kept: row, name } }];
  });
}

/** @throws Stop if a pattern of version 16 has the id of a quarantined one, or the former id of one with a new id. */
export function assertPatternIdsAreFree(database: Database, shares: readonly QuarantinedPatterns[]): void {
  if (!isUnique(database)) return;
  assertFormerIdsAreFree(database);
  const patterns = shares.find(({ table }) => table === "patterns");
  if (patterns === undefined) return;
  const taken = database
    .prepare(
      `SELECT quote(q.id) FROM main.${QUARANTINE_TABLE} AS q WHERE ${patterns.where("q")} AND q.id IN (SELECT p.id FROM main.patterns AS p) LIMIT 1`,
    )
    .pluck()
    .get() as string | undefined;
  if (taken === undefined) return;
  throw new Stop(
    "refused",
    `Cannot restore the pattern ${taken} from ${QUARANTINE_TABLE}: the table patterns has a pattern with the same id. If you have corrected the pattern, delete it from ${QUARANTINE_TABLE}, then run this command again.`,
  );
}

function assertFormerIdsAreFree(database: Database): void {
  if (!hasOwn(database, REPAIRED_VALUES)) return;
  const taken = database
    .prepare(
      `SELECT quote(v.original) AS former, p.id FROM main.${REPAIRED_VALUES_TABLE} AS v JOIN main.patterns AS p ON ${isStillRepaired("id")} WHERE v.original IN (SELECT other.id FROM main.patterns AS other) LIMIT 1`,
    )
    .get() as { former: string; id: string } | undefined;
  if (taken === undefined) return;
  throw new Stop(
    "refused",
    `Cannot restore the id ${taken.former} of the pattern ${sqlText(taken.id)}: the table patterns has another pattern with that id. Give that one another id, then run this command again.`,
  );
}

/** True if the table enforces unique ids, also without the index that the downgrade drops first. */
function isUnique(database: Database): boolean {
  const found = database
    .prepare(
      `SELECT 1 FROM pragma_index_list('patterns', 'main') AS l WHERE l."unique" = 1 AND l.name <> '${ID_INDEX}'
       AND (SELECT group_concat(lower(name)) FROM pragma_index_info(l.name, 'main')) = 'id'`,
    )
    .get();
  return found !== undefined;
}

/**
 * Returns quarantined patterns and usage to their tables, and restores original values.
 *
 * @param columns Steps that restore the former columns: values were repaired after, and rows quarantined before these
 *   changed.
 */
export function patternSteps(
  database: Database,
  shares: readonly QuarantinedPatterns[],
  columns: readonly Step[],
): Step[] {
  const values = countRestorable(database);
  return [
    ...(values === 0
      ? []
      : [
          {
            title: `restore ${countText(values, "original value")} of patterns`,
            changes: [
              { table: "patterns", kind: "update", columns: repairedColumns(database) },
              { table: "pattern_usage", kind: "update", columns: ["pattern_id"] },
            ] as const,
            run: restoreValues,
          },
        ]),
    ...columns,
    ...shares.map((share) => ({
      title: `restore ${countText(share.rows, "row")} from ${QUARANTINE_TABLE} to the table ${share.table}`,
      changes: [{ table: share.table, kind: "insert" }] as const,
      run: (connection: Database) => changeRows(connection, [share.table], () => restoreRows(connection, share)),
    })),
  ];
}

function restoreRows(database: Database, { table, columns, row, where }: QuarantinedPatterns): void {
  const key = integerKey(database, table);
  const isTaken = (name: string, kept: string): string =>
    `iif(q.${sqlName(kept)} IN (SELECT t.${name} FROM main.${table} AS t), NULL, q.${sqlName(kept)})`;
  const values = columns.map((column): [string, string] => [
    sqlName(column),
    column === key ? isTaken(sqlName(column), column) : `q.${sqlName(column)}`,
  ]);
  if (row !== null && key === undefined) values.push([row.name, isTaken(row.name, row.kept)]);
  const order = row === null ? "1" : `q.${sqlName(row.kept)}`;
  ignoringChecks(database, () =>
    runForRows(
      database,
      table,
      `INSERT INTO main.${table} (${values.map(([name]) => name).join(", ")}) SELECT ${values.map(([, value]) => value).join(", ")} FROM main.${QUARANTINE_TABLE} AS q WHERE ${where("q")} ORDER BY ${order}`,
      countQuarantined(database, where),
    ),
  );
  database.exec(`DELETE FROM main.${QUARANTINE_TABLE} AS q WHERE ${where("q")}`);
}

function countRestorable(database: Database): number {
  if (!hasTable(database, "patterns")) return 0;
  return repairedColumns(database).reduce((sum, column) => {
    const found = countFrom(
      database,
      `main.patterns AS p WHERE EXISTS (SELECT 1 FROM main.${REPAIRED_VALUES_TABLE} AS v WHERE ${isStillRepaired(column)})`,
    );
    return sum + found;
  }, 0);
}

/** A note on repaired values that programs of version 16 changed since; empty without such values. */
export function notesOnRepaired(database: Database): string[] {
  if (!hasOwn(database, REPAIRED_VALUES)) return [];
  const all = countFrom(database, `main.${REPAIRED_VALUES_TABLE}`);
  const rest = all - countRestorable(database);
  return rest === 0
    ? []
    : [
        `${countText(rest, "repaired value")} of patterns ${agreeing(rest, "was", "were")} changed in version 16 and ${agreeing(rest, "is", "are")} not restored`,
      ];
}

/** Restores the value of the first repair: a later one found a repaired value. */
function restoreValues(database: Database): void {
  changeRows(database, PATTERN_TABLES, () => {
    restoreUsage(database);
    for (const column of repairedColumns(database)) {
      const name = sqlName(column);
      database.exec(
        `UPDATE main.patterns AS p SET ${name} = (SELECT v.original FROM main.${REPAIRED_VALUES_TABLE} AS v WHERE ${isStillRepaired(column)} ORDER BY v.number LIMIT 1) WHERE EXISTS (SELECT 1 FROM main.${REPAIRED_VALUES_TABLE} AS v WHERE ${isStillRepaired(column)})`,
      );
    }
  });
}
