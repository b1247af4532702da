import type { Database } from "../../sqlite/open_database.ts";
import { MEASURED } from "../aggregates.ts";
import { type NamedKeys, namedKeyParameters, namedRows } from "../breakdown/named_rows.ts";
import { BUCKET } from "../breakdown/percentiles.ts";
import { DAY } from "../trends/time_sql.ts";
import { MOST_VALUES } from "./declared_keys.ts";
import { UNUSED_ID } from "./left_over_sums.ts";
import { daySums, userSums, valueIds } from "./sums_tables.ts";
import { type SummedRow, ValueSums } from "./value_sums.ts";

/** Keys with the same watermark, and the numbers in their sums. */
export interface KeyGroup {
  ids: readonly number[];
  named: NamedKeys;
}

/** Sums of the rows of a user and day in a piece. */
interface UserDay {
  /** Id of one of the rows, from which SQL takes the user. */
  id: number | string;
  day: string;
  /** By the names of the values. */
  sums: Map<string, ValueSums>;
}

/** Adds rows to the sums of keys. */
export function addRows(database: Database, { ids, named }: KeyGroup, where: string, parameters: object): void {
  const users = userNames(database);
  // A number is exact up to this size; SQLite converts text to an id.
  const exactId = "CASE WHEN id BETWEEN -9007199254740991 AND 9007199254740991 THEN id ELSE CAST(id AS TEXT) END";
  const columns = ["id", "user_id", "success", "response_time_ms", "timestamp"];
  const rows = database
    .prepare(
      `SELECT ${exactId}, user_id, coalesce(${DAY}, ''), CASE WHEN success THEN 1 ELSE 0 END,
         CASE WHEN ${MEASURED} THEN response_time_ms * 1.0 END, ${BUCKET},
         ${[...named.keys.map((_, index) => `name${index}`), ...named.numbers.map((_, index) => `number${index}`)].join(", ")}
       FROM (${namedRows(named, columns, where)})`,
    )
    .raw()
    .all({ ...namedKeyParameters(named), ...parameters }) as [
    id: number | string,
    user: unknown,
    day: string,
    success: 0 | 1,
    ms: number | null,
    bucket: number | null,
    ...rest: unknown[],
  ][];
  const perKey = ids.map(() => new Map<string, UserDay>());
  for (const [id, user, day, success, ms, bucket, ...rest] of rows) {
    const row: SummedRow = {
      success: success === 1,
      numbers: [ms, ...(rest.slice(ids.length) as (number | null)[])],
      bucket,
    };
    const place = `${day.padEnd(10)}${users(user, id)}`;
    for (const [index, days] of perKey.entries()) {
      let found = days.get(place);
      if (found === undefined) days.set(place, (found = { id, day, sums: new Map() }));
      sumsOf(found.sums, rest[index] as string, row.numbers.length).add(row);
    }
  }
  for (const [index, days] of perKey.entries())
    addDays(database, ids[index] as number, 1 + named.numbers.length, [...days.values()]);
}

/** The sums under a name, to which is added. */
function sumsOf<Name>(all: Map<Name, ValueSums>, name: Name, numbers: number): ValueSums {
  let sums = all.get(name);
  if (sums === undefined) all.set(name, (sums = ValueSums.none(numbers)));
  return sums;
}

/** Text that is different for different users, as SQLite compares them. */
function userNames(database: Database): (user: unknown, id: number | string) => string {
  const exact = database.prepare("SELECT typeof(user_id) || hex(user_id) FROM interactions WHERE id = ?").pluck();
  // The driver replaces what is not UTF-8.
  return (user, id) => (typeof user === "string" && !user.includes("\ufffd") ? `=${user}` : (exact.get(id) as string));
}

function addDays(database: Database, key: number, numbers: number, userDays: readonly UserDay[]): void {
  const values = valueIds(database, key);
  const ofUsers = userSums(database, key);
  const all = new Map<string, Map<number, ValueSums>>();
  for (const { id, day, sums } of userDays) {
    let ofDay = all.get(day);
    if (ofDay === undefined) all.set(day, (ofDay = new Map()));
    const added = new Map([...sums].map(([name, ofName]) => [values.of(name), ofName]));
    for (const [value, ofValue] of added) {
      sumsOf(ofDay, value, numbers).join(ofValue);
      values.add(value, ofValue.operations);
    }
    ofUsers.add(id, day, added);
  }
  const ofAll = daySums(database, key);
  for (const [day, sums] of all) {
    for (const [value, added] of sums) {
      const known = ofAll.find(day, value);
      known?.join(added);
      ofAll.store(day, value, known ?? added);
    }
  }
  values.store();
  if (values.areMoreThan(MOST_VALUES)) {
    // The sums are left over now.
    database.prepare(`UPDATE perdura_summed_keys SET key_id = ${UNUSED_ID}, is_summed = 0 WHERE key_id = ?`).run(key);
  }
}
