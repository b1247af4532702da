import type { Database } from "../../sqlite/open_database.ts";
import { MEASURED, SCALE } from "../aggregates.ts";
import { chosenParameters, isChosen } from "../chosen_rows.ts";
import { pathOf, readableMetadata } from "../metadata_sql.ts";
import type { BreakdownRow } from "./breakdown.ts";
import type { AskedBreakdown } from "./breakdown_arguments.ts";
import { BUCKET, EXACT_UP_TO } from "./percentiles.ts";
import { canonicalName, NO_VALUE, valueOf } from "./value_names.ts";
import { type FoundPart, ValueFigures } from "./value_figures.ts";

/** Breakdowns by a key of the metadata (ruling U-breakdown). */
export interface BreakdownQueries {
  breakdown(asked: AskedBreakdown): BreakdownRow[];
}

/** Computes breakdowns from all rows. */
export function breakdownQueries(database: Database, exactUpTo: number = EXACT_UP_TO): BreakdownQueries {
  const isMany = (asked: AskedBreakdown): boolean =>
    database
      .prepare(`SELECT 1 FROM interactions WHERE ${isChosen(asked)} LIMIT 1 OFFSET ${exactUpTo}`)
      .get(chosenParameters(asked)) !== undefined;
  return {
    // All questions see the data of one moment.
    breakdown: database.transaction((asked: AskedBreakdown) => {
      const { limit, numbers } = asked;
      const found = new Map<string | null, ValueFigures>();
      const add = (name: string | null, part: FoundPart): void => {
        let figures = found.get(name);
        if (figures === undefined) found.set(name, (figures = new ValueFigures(numbers)));
        figures.add(part);
      };
      const many = isMany(asked);
      const parameters = { ...chosenParameters(asked), ...pathsOf(asked), ...(many ? { limit } : {}) };
      const parts = database.prepare(many ? partsByBucket(asked) : partsOfRows(asked)).iterate(parameters);
      let names = 0;
      for (const part of parts as Iterable<FoundPart & { name: string | null; names?: number }>) {
        names = part.names ?? 0;
        add(part.name === null ? null : canonicalName(part.name), part);
      }
      return rowsOf(found, limit, many ? names : undefined);
    }),
  };
}

/**
 * @param found The figures of each value by its name; null for values that are together already.
 * @param names Number of all values; undefined if each has its own figures.
 */
function rowsOf(
  found: ReadonlyMap<string | null, ValueFigures>,
  limit: number,
  names: number = found.size,
): BreakdownRow[] {
  const named = [...found].filter((entry): entry is [string, ValueFigures] => entry[0] !== null);
  const sorted = named.toSorted(
    ([one, first], [other, second]) => second.operations - first.operations || (one < other ? -1 : 1),
  );
  const rows: BreakdownRow[] = sorted
    .slice(0, limit)
    .map(([name, figures]) => ({ value: valueOf(name), ...figures.result() }));
  const [others, ...more] = [found.get(null), ...sorted.slice(limit).map(([, figures]) => figures)].filter(
    (figures) => figures !== undefined,
  );
  if (others === undefined) return rows;
  for (const figures of more) others.join(figures);
  return [...rows, { others: names - rows.length, ...others.result() }];
}

/** SQL for the name of the value of the key; see {@link valueOf}. */
const NAME = `coalesce(CASE json_type(metadata, @key)
    WHEN 'text' THEN 'text:' || (metadata ->> @key)
    WHEN 'true' THEN 'true:' WHEN 'false' THEN 'false:' WHEN 'null' THEN '${NO_VALUE}'
    WHEN 'integer' THEN 'number:' || (metadata -> @key) WHEN 'real' THEN 'number:' || (metadata -> @key)
    ELSE 'json:' || (metadata -> @key) END, '${NO_VALUE}')`;

function pathsOf({ key, numbers }: AskedBreakdown): object {
  return {
    key: pathOf(key),
    ...Object.fromEntries(numbers.map((name, index) => [`number${index}`, pathOf(name)])),
  };
}

/** SQL for the interactions that are counted, each with the name of its value and its numbers. */
function counted(asked: AskedBreakdown): string {
  const numbers = asked.numbers.map(
    (_, index) => `, CASE WHEN json_type(metadata, @number${index}) IN ('integer', 'real')
      THEN (metadata ->> @number${index}) * 1.0 END AS number${index}`,
  );
  // A user may have added columns to the tables: only the named ones are selected. Other programs may have stored text
  // that is not JSON.
  return `SELECT ${NAME} AS name, success, response_time_ms${numbers.join("")}
    FROM (SELECT success, response_time_ms, ${readableMetadata("known.metadata")} AS metadata
      FROM (SELECT id, success, response_time_ms FROM interactions WHERE ${isChosen(asked)}) AS interaction
      LEFT JOIN interaction_metadata AS known ON known.interaction_id = interaction.id)`;
}

const TIME = `CASE WHEN ${MEASURED} THEN response_time_ms END`;

/** SQL for each interaction as a part. */
function partsOfRows(asked: AskedBreakdown): string {
  const numbers = asked.numbers.map(
    (_, index) => `, number${index} AS sum${index}, number${index} IS NOT NULL AS count${index}`,
  );
  return `SELECT name, 1 AS operations, CASE WHEN success THEN 1 ELSE 0 END AS successes, ${MEASURED} AS measured,
      coalesce(${TIME}, 0.0) AS ms, coalesce(${TIME}, 0.0) / ${SCALE}.0 AS scaled, NULL AS bucket${numbers.join("")}
    FROM (${counted(asked)})`;
}

/** SQL for the sums by name and bucket of the values that have most interactions, and of all others together. */
function partsByBucket(asked: AskedBreakdown): string {
  const numbers = asked.numbers.map(
    (_, index) => `, total(number${index}) AS sum${index}, count(number${index}) AS count${index}`,
  );
  return `WITH counted AS (${counted(asked)}),
      named AS MATERIALIZED (SELECT name, count(*) AS operations FROM counted GROUP BY name),
      most AS MATERIALIZED (SELECT name FROM named ORDER BY operations DESC, name LIMIT @limit)
    SELECT most.name AS name, (SELECT count(*) FROM named) AS names, count(*) AS operations,
      count(CASE WHEN success THEN 1 END) AS successes, count(${TIME}) AS measured, total(${TIME}) AS ms,
      total(${TIME} / ${SCALE}.0) AS scaled, coalesce(${BUCKET}, 0) AS bucket${numbers.join("")}
    FROM counted LEFT JOIN most ON most.name = counted.name GROUP BY most.name, ${BUCKET}`;
}
