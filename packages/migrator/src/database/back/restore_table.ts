import type { Database } from "@perdura/internals/sqlite/open_database.js";
import type { MetricsTable } from "../layouts/metrics_table.ts";
import { sqlName, sqlNames, sqlText } from "../sql/sql_text.ts";
import type { Step } from "../step.ts";
import type { SchemaEntry } from "../layouts/catalog.ts";
import { Stop } from "../../core/stop.ts";
import { makeObject } from "./make_object.ts";
import { SIDE_TABLE } from "./old_form.ts";

/** The table at work, while the one of the old layout is filled. */
const MOVED = "perdura_reverting";

/** Renames back what a migration renamed; SQLite changes whatever names table or column along with it. */
export function renameSteps({ name, level }: MetricsTable): Step[] {
  const column = level === null || level.toLowerCase() === "level" ? null : plainly(level);
  return [
    ...(column === null
      ? []
      : [
          {
            title: `rename the column level to ${column}`,
            run: (database: Database) =>
              void database.exec(`ALTER TABLE main.interactions RENAME COLUMN level TO ${column}`),
          },
        ]),
    ...(name.toLowerCase() === "interactions"
      ? []
      : [
          {
            title: `rename the table interactions to ${name}`,
            run: (database: Database) => void database.exec(`ALTER TABLE main.interactions RENAME TO ${sqlName(name)}`),
          },
        ]),
  ];
}

/**
 * Makes the table as it was, column by column, and moves every row into it. What depends on the table does not notice:
 * the old one is moved away in SQLite's way that leaves all references as they are.
 *
 * @param entry The table as it stood in the schema.
 */
export function rebuildStep(table: MetricsTable, entry: SchemaEntry): Step {
  return {
    title: `build the table ${table.name} as it was${table.metadata === null ? "" : ", with the metadata in its column"}, and move every row into it`,
    whole: true,
    run: (database) => {
      const belonging = belongingTo(database, table.name);
      moveAway(database, table.name);
      makeObject(database, entry);
      copyRows(database, table);
      database.exec(`DROP TABLE main.${MOVED}`);
      for (const object of belonging) makeObject(database, object);
    },
  };
}

/** Without quotes where it can be: SQLite would write it in quotes everywhere. */
function plainly(name: string): string {
  return /^[a-z_]\w*$/i.test(name) ? name : sqlName(name);
}

/** Indexes and triggers of a table, in order. */
function belongingTo(database: Database, table: string): SchemaEntry[] {
  return database
    .prepare(
      `SELECT type, name, tbl_name AS "table", sql FROM main.sqlite_schema WHERE type IN ('index', 'trigger') AND tbl_name = ${sqlText(table)} COLLATE NOCASE AND sql IS NOT NULL ORDER BY rowid`,
    )
    .all() as SchemaEntry[];
}

function moveAway(database: Database, table: string): void {
  if (database.prepare("SELECT 1 FROM main.sqlite_schema WHERE name = ? COLLATE NOCASE").get(MOVED) !== undefined)
    throw new Stop("refused", `The name ${MOVED} is needed while the table is built. Rename what has it first.`);
  database.pragma("legacy_alter_table = ON");
  try {
    database.exec(`ALTER TABLE main.${sqlName(table)} RENAME TO ${MOVED}`);
  } finally {
    database.pragma("legacy_alter_table = OFF");
  }
}

function copyRows(database: Database, table: MetricsTable): void {
  const side = hasSideTable(database);
  const filled = filledColumns({ ...table, level: null }, "e", side ? "m.metadata" : "NULL", "e.id");
  const join = side ? `LEFT JOIN main.${SIDE_TABLE} AS m ON m.interaction_id = e.id ` : "";
  // A row that a program of the old line could store against a CHECK goes back as it is.
  database.pragma("ignore_check_constraints = ON");
  try {
    database.exec(
      `INSERT INTO main.${sqlName(table.name)} (${sqlNames(filled.map(([column]) => column))}) SELECT ${filled.map(([, value]) => value).join(", ")} FROM main.${MOVED} AS e ${join}ORDER BY e.id`,
    );
  } finally {
    database.pragma("ignore_check_constraints = OFF");
  }
}

/** Whether the side table is there; a rename of the old table changes nothing about it. */
export function hasSideTable(database: Database): boolean {
  return database.prepare("SELECT 1 FROM pragma_table_xinfo(?, 'main') LIMIT 1").get(SIDE_TABLE) !== undefined;
}

/** A column of a table of the old layout, and SQL for its values. */
type Filled = readonly [column: string, value: string];

/**
 * The columns of a table of the old layout that have a counterpart in `interactions`.
 *
 * @param row Alias of `interactions`.
 * @param metadata SQL for the metadata of the row.
 * @param id SQL for the id that the row has in the old layout.
 */
export function filledColumns(table: MetricsTable, row: string, metadata: string, id: string): Filled[] {
  return table.columns.map((column): Filled => {
    if (column.toLowerCase() === "id") return [column, id];
    if (column === table.metadata) return [column, metadata];
    return [column, `${row}.${nowCalled(table, column)}`];
  });
}

/** What a column is called in `interactions`. */
export function nowCalled({ level }: MetricsTable, column: string): string {
  return column === level ? "level" : sqlName(column);
}
