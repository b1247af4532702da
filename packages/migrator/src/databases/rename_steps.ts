import { INTERACTION_METADATA_TABLE } from "@perdura/internals/metrics/schema.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { idRanges } from "../inspect/id_ranges.ts";
import { atOnce, type InPieces } from "../core/progress.ts";
import { sqlName } from "./sql_text.ts";
import type { Step } from "./step.ts";

/** The table of a field layout gets the name of the documented one. */
export const renameTable = (name: string): Step => ({
  title: `rename the table ${name} to interactions`,
  run: (database) => void database.exec(`ALTER TABLE main.${sqlName(name)} RENAME TO interactions`),
});

/** The column of the level gets its name of version 16. */
export const renameLevel = (level: string): Step => ({
  title: `rename the column ${level} to level`,
  run: (database) => void database.exec(`ALTER TABLE main.interactions RENAME COLUMN ${sqlName(level)} TO level`),
});

/** The metadata of a field layout goes where version 16 has it, and its column goes away. */
export const moveMetadata = (column: string): Step[] => [
  {
    title: "move the metadata into the side table interaction_metadata",
    run: (database) => atOnce(copyMetadata(database, column)),
    pieces: (database) => copyMetadata(database, column),
  },
  {
    title: "drop the column metadata",
    whole: true,
    run: (database) => void database.exec(`ALTER TABLE main.interactions DROP COLUMN ${sqlName(column)}`),
  },
];

function* copyMetadata(database: Database, column: string): InPieces<void> {
  const metadata = sqlName(column);
  database.exec(INTERACTION_METADATA_TABLE);
  const total = database.prepare("SELECT count(*) FROM main.interactions").pluck().get() as number;
  const ranges = idRanges(database, "main.interactions", "id", total);
  for (const [index, { first, last }] of ranges.entries()) {
    if (index > 0) yield { done: Math.floor((total * index) / ranges.length), total };
    database.exec(
      `INSERT INTO main.interaction_metadata SELECT id, ${metadata} FROM main.interactions WHERE ${metadata} IS NOT NULL AND id BETWEEN ${first} AND ${last} ORDER BY id`,
    );
  }
}
