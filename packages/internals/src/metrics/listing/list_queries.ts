import type { Database } from "../../sqlite/open_database.ts";
import { isLevel, MEASURED } from "../aggregates.ts";
import { chosenParameters, isChosen } from "../chosen_rows.ts";
import { pathOf, readableMetadata } from "../metadata_sql.ts";
import type { LevelColumn } from "../schema.ts";
import { listedMetadata } from "./listed_metadata.ts";
import type { ListedInteraction } from "./listing.ts";
import type { AskedList, SearchedValue } from "./listing_arguments.ts";

/** Lists of interactions, a page at a time. */
export interface ListQueries {
  /** @returns The rows after the last one of the page before; an empty page is the end. */
  listPage(asked: AskedList, before: ListPage | undefined): ListPage;
}

/** Consecutive rows of a list. */
export interface ListPage {
  rows: ListedInteraction<string>[];
  /** Limits of the ids of the following rows. */
  from: bigint;
  to: bigint;
}

/** Few enough for rows with long metadata, and many enough for the time of a query. */
const PAGE = 100;

const LOWEST = -(2n ** 63n);
const HIGHEST = 2n ** 63n - 1n;

/** Pages are read by id, so that the connection is free between them. */
export function listQueries(database: Database, levelColumn: LevelColumn): ListQueries {
  const highestId = (): bigint =>
    (database.prepare("SELECT max(id) FROM interactions").pluck().safeIntegers().get() as bigint | null) ?? LOWEST;
  return {
    listPage: (asked, before) => {
      const { order } = asked;
      // Rows that are recorded later belong to no list that began before.
      const { from, to } = before ?? { from: LOWEST, to: order === "newest" ? HIGHEST : highestId() };
      const found = database
        .prepare(pageSql(asked, levelColumn))
        .safeIntegers()
        .all({ ...parametersOf(asked), from, to }) as FoundRow[];
      const last = found.at(-1)?.id;
      const rows = found.map((row) => listed(row, levelColumn));
      if (last === undefined || found.length < PAGE) return { rows, from: 1n, to: 0n };
      // The ends of the range of ids have no neighbour.
      if (order === "newest") return last === LOWEST ? { rows, from: 1n, to: 0n } : { rows, from, to: last - 1n };
      return last === HIGHEST ? { rows, from: 1n, to: 0n } : { rows, from: last + 1n, to };
    },
  };
}

interface FoundRow {
  id: bigint;
  user_id: string;
  level: bigint | null;
  success: bigint;
  response_time_ms: number | null;
  timestamp: string | null;
  metadata: string | null;
}

function pageSql(asked: AskedList, levelColumn: LevelColumn): string {
  const { success, where, order } = asked;
  const conditions = [
    "id BETWEEN @from AND @to",
    isChosen(asked),
    ...(success === undefined ? [] : [`CASE WHEN success THEN 1 ELSE 0 END = @success`]),
  ];
  const direction = order === "newest" ? "DESC" : "ASC";
  const searched = where.map(([, value], index) => `AND ${conditionOf(value, index)}`);
  // A user may have added columns to the tables: only the named ones are selected.
  return `SELECT id, user_id, level, success, response_time_ms, timestamp, metadata FROM (
      SELECT interaction.*, ${readableMetadata("known.metadata")} AS metadata
      FROM (SELECT id, CAST(user_id AS TEXT) AS user_id, CASE WHEN ${isLevel(levelColumn)} THEN ${levelColumn} END AS level,
          CASE WHEN success THEN 1 ELSE 0 END AS success,
          CASE WHEN ${MEASURED} THEN response_time_ms * 1.0 END AS response_time_ms, CAST(timestamp AS TEXT) AS timestamp
        FROM interactions WHERE ${conditions.join(" AND ")}) AS interaction
      LEFT JOIN interaction_metadata AS known ON known.interaction_id = interaction.id)
    WHERE true ${searched.join(" ")} ORDER BY id ${direction} LIMIT ${PAGE}`;
}

function conditionOf(value: SearchedValue, index: number): string {
  const type = `json_type(metadata, @key${index})`;
  if (value === null) return `coalesce(${type}, 'null') = 'null'`;
  if (typeof value === "boolean") return `${type} = '${value}'`;
  const types = typeof value === "string" ? "= 'text'" : "IN ('integer', 'real')";
  return `${type} ${types} AND metadata ->> @key${index} = @value${index}`;
}

function parametersOf(asked: AskedList): object {
  const { success, where } = asked;
  const searched = where.flatMap(([key, value], index) => [
    [`key${index}`, pathOf(key)],
    // The driver would search for replacement characters instead of lone surrogates.
    ...(typeof value === "string" ? [[`value${index}`, value.isWellFormed() ? value : null]] : []),
    ...(typeof value === "number" ? [[`value${index}`, value]] : []),
  ]);
  return {
    ...chosenParameters(asked),
    ...(success === undefined ? {} : { success: success ? 1 : 0 }),
    ...(Object.fromEntries(searched) as object),
  };
}

function listed(row: FoundRow, levelColumn: LevelColumn): ListedInteraction<string> {
  const { id, user_id, level, success, response_time_ms, timestamp, metadata } = row;
  const listedRow = {
    id: BigInt.asIntN(54, id) === id ? Number(id) : id,
    user_id,
    [levelColumn]: level === null ? null : Number(level),
    success: success === 1n,
    response_time_ms,
    timestamp,
    metadata: listedMetadata(metadata),
  };
  return listedRow as unknown as ListedInteraction<string>;
}
