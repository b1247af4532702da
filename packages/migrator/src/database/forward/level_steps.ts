import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { ASSUMED_LEVELS_TABLE } from "../record/side_tables.ts";
import { rewriteSchema, withoutTriggers } from "../sql/schema_text.ts";
import { sqlText } from "../sql/sql_text.ts";
import type { Step } from "../step.ts";
import { dropUsedKept, levelOf, type LevelSource, prepareLevels, recordLevels } from "./level_source.ts";

const TABLE = "interactions";

/** The default is needed only while there are rows that the column is added to; its name tells it from whatever else is in the text. */
const DEFAULT_NAME = "perdura_assumed_level";

/** The steps that give the rows of a table levels. */
interface LevelSteps {
  /** Adds the column. Every row has to be rewritten afterwards, as dropping another column does, so that the value is in the row. */
  add: Step[];
  /** Gives the rows their levels, and takes the default out of the column. */
  fill: Step[];
  /** Records where the levels came from; before the migration itself is recorded. */
  record: Step[];
}

/**
 * What makes the column `level` of a table that had none, already under its new name, the same as in a new database.
 *
 * @param rows How many rows get a level; without any there is nothing to fill or to record.
 */
export function levelSteps(source: LevelSource, rows: number): LevelSteps {
  const { kept, table, users, otherwise } = source;
  // Levels of the program's own making fail the proof: 0 is none.
  const first = otherwise ?? 0;
  const varies = rows > 0 && (kept !== null || table !== null || users !== null);
  return {
    add: [
      {
        title:
          varies || rows === 0 || otherwise === null
            ? "add the column level"
            : `add the column level: ${otherwise} in every row`,
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
        title: "take the default out of the column level, as in a new database",
        run: (database) => dropDefault(database, first),
      },
    ],
    record:
      rows === 0
        ? []
        : [
            {
              title: `record in the table ${ASSUMED_LEVELS_TABLE} where the levels came from`,
              whole: true,
              run: (database) => recordLevels(database, source, TABLE),
            },
            ...(kept === null
              ? []
              : [
                  {
                    title: `take the kept levels that rows got out of the table ${kept.table}`,
                    run: (database: Database) => dropUsedKept(database, kept, TABLE),
                  },
                ]),
          ],
  };
}

function fillTitle({ kept, table, users, otherwise }: LevelSource): string {
  const parts = [
    ...(kept === null ? [] : [`as kept in the table ${kept.table}`]),
    ...(table === null ? [] : [`that of the same row in the table ${table.name}`]),
    ...(users === null ? [] : ["the current level in the collaboration state of the user"]),
    ...(otherwise === null ? [] : [`the level ${otherwise}`]),
  ];
  return `give each row its level: ${parts.join(", else ")}`;
}

/** Triggers of the user do not fire: nothing that they wait for happened. */
function fill(database: Database, source: LevelSource, first: number): void {
  prepareLevels(database, source, TABLE);
  const level = levelOf(source, "entry");
  // Rows that have their level by the default need not be written once more.
  const where = source.otherwise === null ? "" : ` WHERE ${level} <> ${first}`;
  withoutTriggers(database, [TABLE], () => database.exec(`UPDATE main.${TABLE} AS entry SET level = ${level}${where}`));
}

/** No statement of SQLite takes a default away, so the text of the schema is changed; that text is known, and one place in it. */
function dropDefault(database: Database, first: number): void {
  const marked = ` CONSTRAINT ${DEFAULT_NAME} DEFAULT ${first}`;
  const where = `WHERE type = 'table' AND name = '${TABLE}'`;
  const text = database.prepare(`SELECT sql FROM main.sqlite_schema ${where}`).pluck().get() as string;
  if (text.split(marked).length !== 2)
    throw new Error(`The text of the table ${TABLE} does not hold the default of the new column once: ${text}`);
  rewriteSchema(database, () =>
    database.exec(`UPDATE main.sqlite_schema SET sql = replace(sql, ${sqlText(marked)}, '') ${where}`),
  );
}
