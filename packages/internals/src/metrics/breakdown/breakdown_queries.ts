import type { Database } from "../../sqlite/open_database.ts";
import { MEASURED, SCALE } from "../aggregates.ts";
import { chosenParameters, isChosen } from "../chosen_rows.ts";
import type { BreakdownRow } from "./breakdown.ts";
import type { AskedBreakdown } from "./breakdown_arguments.ts";
import { BUCKET, EXACT_UP_TO } from "./percentiles.ts";
import { type NamedKeys, namedKeyParameters, namedRows } from "./named_rows.ts";
import { FoundValues } from "./found_values.ts";
import type { FoundPart } from "./value_figures.ts";
import { canonicalName } from "./value_names.ts";

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
      const found = new FoundValues(numbers);
      const many = isMany(asked);
      if (many) addCanonicalName(database);
      const sql = many ? partsByBucket(asked) : partsOfRows(asked, isChosen(asked), "NULL");
      const parts = database.prepare(sql).iterate({ ...parametersOf(asked), ...(many ? { limit } : {}) });
      let names = 0;
      for (const part of parts as Iterable<FoundPart & { name: string | null; names?: number }>) {
        names = part.names ?? 0;
        found.of(part.name).add(part);
      }
      return found.rows(limit, many ? names : undefined);
    }),
  };
}

/** The parameters of the queries of a breakdown, without limits. */
export function parametersOf(asked: AskedBreakdown): object {
  return { ...chosenParameters(asked), ...namedKeyParameters(keysOf(asked)) };
}

/** SQL for the interactions of a condition as parts with buckets. */
export function bucketedParts(asked: AskedBreakdown, where: string): string {
  return partsOfRows(asked, where, `coalesce(${BUCKET}, 0)`);
}

const keysOf = ({ key, numbers }: AskedBreakdown): NamedKeys => ({ keys: [key], numbers });

/** SQL for the interactions that are counted, each with the name of its value and its numbers. */
const counted = (asked: AskedBreakdown, where: string): string =>
  `SELECT name0 AS name, * FROM (${namedRows(keysOf(asked), ["success", "response_time_ms"], where)})`;

const TIME = `CASE WHEN ${MEASURED} THEN response_time_ms END`;

/**
 * SQL for each interaction as a part.
 *
 * @param bucket SQL for the bucket of its response time; null to keep the time itself.
 */
function partsOfRows(asked: AskedBreakdown, where: string, bucket: string): string {
  const numbers = asked.numbers.map(
    (_, index) => `, number${index} AS sum${index}, number${index} IS NOT NULL AS count${index}`,
  );
  return `SELECT name, 1 AS operations, CASE WHEN success THEN 1 ELSE 0 END AS successes, ${MEASURED} AS measured,
      coalesce(${TIME}, 0.0) AS ms, coalesce(${TIME}, 0.0) / ${SCALE}.0 AS scaled, ${bucket} AS bucket${numbers.join("")}
    FROM (${counted(asked, where)})`;
}

/** SQL for the same name of numbers that are written differently. */
const CANONICAL = "CASE WHEN name GLOB 'number:*' THEN perdura_canonical_name(name) ELSE name END";

const extended = new WeakSet<Database>();

function addCanonicalName(database: Database): void {
  if (extended.has(database)) return;
  extended.add(database);
  database.function("perdura_canonical_name", { deterministic: true }, (name: unknown) => canonicalName(String(name)));
}

/** SQL for the sums by name and bucket of the values that have most interactions, and of all others together. */
function partsByBucket(asked: AskedBreakdown): string {
  const numbers = asked.numbers.map(
    (_, index) => `, total(number${index}) AS sum${index}, count(number${index}) AS count${index}`,
  );
  return `WITH counted AS (${counted(asked, isChosen(asked))}),
      spelled AS MATERIALIZED (SELECT name, ${CANONICAL} AS value, count(*) AS operations FROM counted GROUP BY name),
      named AS MATERIALIZED (SELECT value, sum(operations) AS operations FROM spelled GROUP BY value),
      most AS MATERIALIZED (SELECT name FROM spelled WHERE value IN (SELECT value FROM named ORDER BY operations DESC, value LIMIT @limit))
    SELECT most.name AS name, (SELECT count(*) FROM named) AS names, count(*) AS operations,
      count(CASE WHEN success THEN 1 END) AS successes, count(${TIME}) AS measured, total(${TIME}) AS ms,
      total(${TIME} / ${SCALE}.0) AS scaled, coalesce(${BUCKET}, 0) AS bucket${numbers.join("")}
    FROM counted LEFT JOIN most ON most.name = counted.name GROUP BY most.name, ${BUCKET}`;
}
