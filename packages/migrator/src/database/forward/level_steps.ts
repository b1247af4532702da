import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { ASSUMED_LEVELS_TABLE } from "../record/side_tables.ts";
import { rewriteSchema, withoutTriggers } from "../sql/schema_text.ts";
import { sqlText } from "../sql/sql_text.ts";
import type { Step } from "../step.ts";
import { dropUsedKept, levelOf, type LevelSource, prepareLevels, recordLevels } from "./level_source.ts";

const TABLE = "interactions";

/**
 * The default is needed only while there are rows when the column is added; its name makes it unique in the table's
 * text.
 */
const DEFAULT_NAME = "perdura_assumed_level";

/** Steps that give levels to the rows of a table. */
interface LevelSteps {
  /**
   * Adds the column. Afterwards every row has to be rewritten, for example by dropping another column, so that it
   * stores the value.
   */
  add: Step[];
  /** Sets the levels of the rows, and removes the default of the column. */
  fill: Step[];
  /** Records the origin of the levels; before the migration itself is recorded. */
  record: Step[];
}

/**
 * Steps that make the column `level` of a table without one, already under its new name, equal to that of a new
 * database.
 *
 * @param rows Number of rows that get a level; 0 needs no filling and no record.
 */
export function levelSteps(source: LevelSource, rows: number): LevelSteps {
  const { kept, table, file, users, otherwise } = source;
  // 0 is not a valid level, so a row that is not filled fails the proof.
  const first = otherwise ?? 0;
  const varies = rows > 0 && (kept !== null || table !== null || file !== null || users !== null);
  return {
    add: [
      {
        title:
          varies || rows === 0 || otherwise === null
            ? "add the column level"
            : `add the column level with ${otherwise} in every row`,
        run: (database) =>
          void database.exec(
            `ALTER TABLE main.${TABLE} ADD COLUMN level INTEGER NOT NULL CONSTRAINT ${DEFAULT_NAME} DEFAULT ${first}`,
          ),
      },
    ],
    fill: [
      ...(varies
        ? [{ title: fillTitle(source), whole: true, run: (database: Database) => fill(database, source, first) }]
        : []),
      {
        title: "remove the default of the column level, as in a new database",
        run: (database) => dropDefault(database, first),
      },
    ],
    record:
      rows === 0
        ? []
        : [
            {
              title: `record the sources of the levels in the table ${ASSUMED_LEVELS_TABLE}`,
              whole: true,
              run: (database) => recordLevels(database, source, TABLE),
            },
            ...(kept === null
              ? []
              : [
                  {
                    title: `delete the levels that rows now have from the table ${kept.table}`,
                    run: (database: Database) => dropUsedKept(database, kept, TABLE),
                  },
                ]),
          ],
  };
}

function fillTitle({ kept, table, file, users, otherwise }: LevelSource): string {
  const parts = [
    ...(kept === null ? [] : [`from the table ${kept.table}`]),
    ...(table === null ? [] : [`from the same row of the table ${table.name}`]),
    ...(file === null ? [] : [`from the same row of the file ${file.path}`]),
    ...(users === null ? [] : ["from the collaboration state of its user"]),
    ...(otherwise === null ? [] : [`${otherwise}`]),
  ];
  return `set the level of each row: ${parts.join(", else ")}`;
}

/** Triggers of the user do not fire: no event that concerns them happened. */
function fill(database: Database, source: LevelSource, first: number): void {
  prepareLevels(database, source, TABLE);
  const level = levelOf(source, "entry");
  // Rows whose default is already their level need not be written again.
  const where = source.otherwise === null ? "" : ` WHERE ${level} <> ${first}`;
  withoutTriggers(database, [TABLE], () => database.exec(`UPDATE main.${TABLE} AS entry SET level = ${level}${where}`));
}

/**
 * SQLite has no statement that removes a default, so the text of the schema is changed; the text to remove is known,
 * and occurs once.
 */
function dropDefault(database: Database, first: number): void {
  const marked = ` CONSTRAINT ${DEFAULT_NAME} DEFAULT ${first}`;
  const where = `WHERE type = 'table' AND name = '${TABLE}'`;
  const text = database.prepare(`SELECT sql FROM main.sqlite_schema ${where}`).pluck().get() as string;
  if (text.split(marked).length !== 2)
    throw new Error(`Expected the default of the new column once in the text of the table ${TABLE}: ${text}`);
  rewriteSchema(database, () =>
    database.exec(`UPDATE main.sqlite_schema SET sql = replace(sql, ${sqlText(marked)}, '') ${where}`),
  );
}
