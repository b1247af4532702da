import { MEASURED } from "../aggregates.ts";
import { type NamedKeys, namedKeyParameters, namedRows } from "../breakdown/named_rows.ts";
import type { Database } from "../../sqlite/open_database.ts";
import { DAY } from "../trends/time_sql.ts";
import { isSameSum, SUMMED_USERS } from "./audit_sql.ts";

/** A key with sums. */
interface SummedKey {
  key_id: number;
  key: string;
  numbers: string;
}

/** Differences between the sums by values and the interactions, one sentence each. Reads every row once for each key. */
export function keyDifferences(database: Database): string[] {
  const keys = database
    .prepare("SELECT key_id, key, numbers FROM perdura_summed_keys WHERE is_summed ORDER BY key")
    .all() as SummedKey[];
  return keys.flatMap((summed) => {
    const named: NamedKeys = { keys: [summed.key], numbers: JSON.parse(summed.numbers) as string[] };
    const wrong = (sql: string, parameters: object = {}): number =>
      (database.prepare(`SELECT count(*) FROM (${sql})`).pluck().get(parameters) as number) ?? 0;
    const name = `the key ${JSON.stringify(summed.key)}`;
    const users = wrong(wrongUsers(summed.key_id, named), namedKeyParameters(named));
    const days = wrong(wrongDays(summed.key_id, named.numbers.length));
    return [
      ...(users === 0 ? [] : [`the sums of ${name} differ from the rows of ${users} users`]),
      ...(days === 0 ? [] : [`the sums of ${name} of all users differ from those of the users on ${days} days`]),
    ];
  });
}

/** SQL for what `value_sums.ts` stores of the response times (0) or a number (1 and more); null if it is not known. */
function storedSum(index: number): { count: string; sum: string } {
  const stored = `(sums -> '$[${index + 3}]')`;
  const at = (place: number): string =>
    `CASE WHEN json_array_length(${stored}) > ${place} THEN ${stored} ->> '$[${place}]' ELSE 0 END`;
  return { count: `(${at(0)} + ${at(3)})`, sum: `(${at(1)} + ${at(2)} + ${at(4)} + ${at(5)})` };
}

const [OPERATIONS, SUCCESSES] = ["(sums ->> '$[0]')", "(sums ->> '$[1]')"];
const BUCKETS = "(SELECT coalesce(sum(value), 0) FROM json_each(sums, '$[2]') WHERE key % 2 = 1)";

/** SQL for the sums of users by value; those of stale users are in the sums of all users as well. */
const userValues = (
  key: number,
): string => `SELECT user_id, day, value ->> '$[0]' AS value_id, json_remove(value, '$[0]') AS sums
      FROM perdura_user_key_days, json_each(sums) WHERE key_id = ${key}`;

/** Users with a day and value whose sums differ from the rows; also those that have too many sums. */
function wrongUsers(key: number, named: NamedKeys): string {
  const time = `CASE WHEN ${MEASURED} THEN response_time_ms END`;
  const figures = [time, ...named.numbers.map((_, index) => `number${index}`)];
  const sums = figures.map(
    (figure, index) =>
      `count(${figure}) AS count${index}, total(${figure}) AS sum${index}, total(abs(${figure} * 1.0)) AS size${index}`,
  );
  const same = figures.map((_, index) => {
    const { count, sum } = storedSum(index);
    return `${count} = count${index} AND ${isSameSum(sum, `sum${index}`, `size${index}`)}`;
  });
  const rows = namedRows(
    named,
    ["user_id", "success", "response_time_ms", "timestamp"],
    `id <= (SELECT watermark FROM perdura_summed_keys WHERE key_id = ${key}) AND ${SUMMED_USERS}`,
  );
  return `WITH rows AS MATERIALIZED (
      SELECT user_id, coalesce(${DAY}, '') AS day, name0 AS name, count(*) AS operations,
        count(CASE WHEN success THEN 1 END) AS successes, ${sums.join(", ")}
      FROM (${rows}) GROUP BY 1, 2, 3
    ), kept AS MATERIALIZED (
      SELECT user_id, day, name, sums FROM (${userValues(key)}) JOIN perdura_key_values USING (value_id)
      WHERE ${SUMMED_USERS}
    )
    SELECT rows.user_id FROM rows LEFT JOIN kept USING (user_id, day, name)
      WHERE sums IS NULL OR NOT (${OPERATIONS} = rows.operations AND ${SUCCESSES} = rows.successes
        AND ${BUCKETS} = count0 AND ${same.join(" AND ")})
    UNION SELECT user_id FROM kept WHERE (user_id, day, name) NOT IN (SELECT user_id, day, name FROM rows)`;
}

/** Days with a value whose sums differ from those of the users together. */
function wrongDays(key: number, numbers: number): string {
  const indexes = Array.from({ length: numbers + 1 }, (_, index) => index);
  const sums = indexes.map((index) => {
    const { count, sum } = storedSum(index);
    return `sum(${count}) AS count${index}, total(${sum}) AS sum${index}, total(abs(${sum})) AS size${index}, count(${sum}) AS known${index}`;
  });
  const same = indexes.map((index) => {
    const { count, sum } = storedSum(index);
    return `${count} = count${index} AND (known${index} < parts OR ${isSameSum(sum, `sum${index}`, `size${index}`)})`;
  });
  return `WITH users AS MATERIALIZED (
      SELECT day, value_id, count(*) AS parts, sum(${OPERATIONS}) AS operations, sum(${SUCCESSES}) AS successes,
        sum(${BUCKETS}) AS measured, ${sums.join(", ")}
      FROM (${userValues(key)}) GROUP BY 1, 2
    ), kept AS (SELECT day, value_id, sums FROM perdura_value_days WHERE key_id = ${key})
    SELECT day FROM kept LEFT JOIN users USING (day, value_id) WHERE users.operations IS NULL
      OR NOT (${OPERATIONS} = users.operations AND ${SUCCESSES} = users.successes AND ${BUCKETS} = measured
        AND ${same.join(" AND ")})
    UNION SELECT day FROM users WHERE (day, value_id) NOT IN (SELECT day, value_id FROM kept)
    UNION SELECT name FROM perdura_key_values AS value WHERE value.key_id = ${key} AND value.operations IS NOT (
      SELECT sum(${OPERATIONS}) FROM perdura_value_days AS days WHERE days.key_id = ${key} AND days.value_id = value.value_id)`;
}
