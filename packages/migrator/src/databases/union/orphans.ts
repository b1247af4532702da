import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { Stop } from "../../core/stop.ts";
import { sqlName } from "../sql_text.ts";
import type { Joining } from "./addable_rows.ts";
import { agreeing } from "../../core/rows_text.ts";

/** One column of a foreign key of the table that rows come to. */
interface Pair {
  key: number;
  parent: string;
  from: string;
  to: string | null;
}

/** @throws Stop naming a table that rows would refer to once they join: what they refer to is not there. */
export function assertNoOrphan(database: Database, joining: Joining): void {
  const rows = database
    .prepare(
      `SELECT f.id AS key, s.name AS parent, f."from",
        ifnull(f."to", (SELECT c.name FROM pragma_table_info(s.name, 'main') AS c WHERE c.pk = f.seq + 1)) AS "to"
      FROM pragma_foreign_key_list(?, 'main') AS f JOIN main.sqlite_schema AS s ON s.name = f."table" COLLATE NOCASE
      WHERE s.type = 'table' AND s.name <> ? COLLATE NOCASE`,
    )
    .all(joining.to, joining.to) as Pair[];
  for (const pairs of Map.groupBy(rows, ({ key }) => key).values()) assertParents(database, joining, pairs);
}

function assertParents(database: Database, { to, from, join, columns }: Joining, pairs: readonly Pair[]): void {
  const known = pairs.flatMap((pair) => {
    const source = columns.get(pair.from.toLowerCase());
    return source === undefined || pair.to === null ? [] : [{ parent: pair.parent, source, to: pair.to }];
  });
  const [first] = known;
  if (first === undefined || known.length < pairs.length) return;
  const whole = known.map(({ source }) => `e.${sqlName(source)} IS NOT NULL`).join(" AND ");
  const equal = known.map(({ source, to: column }) => `p.${sqlName(column)} = e.${sqlName(source)}`).join(" AND ");
  const rows = database
    .prepare(
      `SELECT count(*) FROM main.${sqlName(from)} AS e WHERE (${join}) AND ${whole} AND NOT EXISTS (SELECT 1 FROM main.${sqlName(first.parent)} AS p WHERE ${equal})`,
    )
    .pluck()
    .get() as number;
  if (rows > 0)
    throw new Stop(
      "refused",
      `The table ${to} refers to ${first.parent} (FOREIGN KEY), and ${rows} of the rows of ${from} that join it ${agreeing(rows, "has", "have")} nothing there to refer to. Add that first, or take the FOREIGN KEY away.`,
    );
}
