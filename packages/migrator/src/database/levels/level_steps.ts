import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { sqlText } from "@perdura/internals/text/quoted_sql.js";
import { INTERACTIONS, TABLE_16 } from "../layouts/metrics_table.ts";
import { ASSUMED_LEVELS_TABLE } from "../record/side_tables.ts";
import { rewriteSchema, withoutTriggers } from "../sql/schema_text.ts";
import type { Step } from "../steps/step.ts";
import { dropUsedKept, levelOf, type LevelSource, prepareLevels, recordLevels } from "./level_source.ts";

/**
 * The default is needed only while there are rows when the column is added; its name makes it unique in the table's
 * text.
 */
const DEFAULT_NAME = "perdura_assumed_level";

/** Steps that give levels to the rows of a table. */
interface LevelSteps {
  /** Adds the column. No row stores its value until it is written again, for example by dropping another column. */
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
 * @param areRewritten True if a step between `add` and `fill` writes every row again.
 */
export function levelSteps(source: LevelSource, rows: number, areRewritten: boolean): LevelSteps {
  const { kept, table, file, users, otherwise } = source;
  // 0 is not a valid level, so a row that is not filled fails the proof.
  const first = otherwise ?? 0;
  const varies = rows > 0 && (kept !== null || table !== null || file !== null || users !== null);
  return {
    add: [
      {
        title:
          varies || rows === 0 || otherwise === null || !areRewritten
            ? "add the column level"
            : `add the column level with ${otherwise} in every row`,
        run: (database) =>
          void database.exec(
            `ALTER TABLE main.${INTERACTIONS} ADD COLUMN level INTEGER NOT NULL CONSTRAINT ${DEFAULT_NAME} DEFAULT ${first}`,
          ),
      },
    ],
    fill: [
      ...(varies || (rows > 0 && !areRewritten)
        ? [
            {
              title: fillTitle(source),
              whole: true,
              run: (database: Database) => fill(database, source, areRewritten ? first : null),
            },
          ]
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
              run: (database) => recordLevels(database, source, TABLE_16),
            },
            ...(kept === null
              ? []
              : [
                  {
                    title: `delete the levels that rows now have from the table ${kept.table}`,
                    run: (database: Database) => dropUsedKept(database, kept, INTERACTIONS),
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

/**
 * Triggers of the user do not fire: no event that concerns them happened.
 *
 * @param stored The level that every row already stores; null if no row stores one.
 */
function fill(database: Database, source: LevelSource, stored: number | null): void {
  prepareLevels(database, source, TABLE_16);
  const level = levelOf(source, TABLE_16, "entry");
  const where = source.otherwise === null || stored === null ? "" : ` WHERE ${level} <> ${stored}`;
  withoutTriggers(database, [INTERACTIONS], () =>
    database.exec(`UPDATE main.${INTERACTIONS} AS entry SET level = ${level}${where}`),
  );
}

/**
 * SQLite has no statement that removes a default, so the text of the schema is changed; the text to remove is known,
 * and occurs once.
 */
function dropDefault(database: Database, first: number): void {
  const marked = ` CONSTRAINT ${DEFAULT_NAME} DEFAULT ${first}`;
  const where = `WHERE type = 'table' AND name = '${INTERACTIONS}'`;
  const text = database.prepare(`SELECT sql FROM main.sqlite_schema ${where}`).pluck().get() as string;
  if (text.split(marked).length !== 2)
    throw new Error(`Expected the default of the new column once in the text of the table ${INTERACTIONS}: ${text}`);
  rewriteSchema(database, () =>
    database.exec(`UPDATE main.sqlite_schema SET sql = replace(sql, ${sqlText(marked)}, '') ${where}`),
  );
}
