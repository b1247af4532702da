import { listedMetadata } from "@perdura/internals/metrics/listing/listed_metadata.js";
import type { ListedInteraction } from "@perdura/internals/metrics/listing/listing.js";
import type { AskedList, SearchedValue } from "@perdura/internals/metrics/listing/listing_arguments.js";
import type { Session } from "../connection/connection.ts";
import { jsonText, readableMetadata } from "../layout/column_types.ts";
import type { Tables } from "../layout/set_up.ts";
import { MEASURED } from "../layout/sums.ts";
import { doubleOf } from "../layout/value_names.ts";
import { Parameters } from "./parameters.ts";
import { isStorable } from "../connection/storable.ts";

/** Consecutive rows of a list, and where the following ones begin; undefined at the end. */
export interface ListPage {
  rows: ListedInteraction<"level">[];
  next: Place | undefined;
}

/** The last row of a page: users in different partitions may have rows with the same id. */
interface Place {
  id: string;
  user: string;
  /** Highest id when the list began: rows that are recorded later are not listed. */
  highest: string;
}

/** Few enough for rows with long metadata, and many enough for a statement to a server. */
const PAGE = 500;

interface FoundRow {
  id: string;
  user_id: string;
  level: number | null;
  success: boolean;
  response_time_ms: number | null;
  timestamp: string | null;
  metadata: string | null;
}

/** Reads a page of a list; no transaction is open between pages. */
export async function readListPage(
  session: Session,
  { names, isSpread }: Tables,
  asked: AskedList,
  last: Place | undefined,
): Promise<ListPage> {
  const highest = last?.highest ?? (await highestId(session, names.interactions));
  if (highest === undefined) return { rows: [], next: undefined };
  const { user, success, range, where, order } = asked;
  const given = new Parameters();
  const conditions = [
    given.conditions(names, { user, success, range }),
    `i.id <= ${given.add(highest)}::bigint`,
    ...(last === undefined
      ? []
      : [
          `(i.id, i.user_id) ${order === "newest" ? "<" : ">"} (${given.add(last.id)}::bigint, ${given.add(last.user)})`,
        ]),
    ...where.map(([key, value]) => conditionOf(given, key, value)),
  ];
  const sameUser = isSpread ? " AND m.user_id = i.user_id" : "";
  const direction = order === "newest" ? "DESC" : "ASC";
  const found = await session.query<FoundRow>(
    `SELECT i.id::text AS id, i.user_id, CASE WHEN i.level BETWEEN 1 AND 5 THEN i.level::integer END AS level,
       coalesce(i.success, false) AS success, CASE WHEN ${MEASURED} THEN i.response_time_ms::double precision END AS response_time_ms,
       i.timestamp, ${jsonText("metadata", "m")} AS metadata
     FROM ${names.interactions} AS i LEFT JOIN ${names.interactionMetadata} AS m ON m.interaction_id = i.id${sameUser}
     WHERE ${conditions.join(" AND ")} ORDER BY i.id ${direction}, i.user_id ${direction} LIMIT ${PAGE}`,
    given.values,
  );
  const end = found.at(-1);
  return {
    rows: found.map(listed),
    next: end === undefined || found.length < PAGE ? undefined : { id: end.id, user: end.user_id, highest },
  };
}

async function highestId(session: Session, interactions: string): Promise<string | undefined> {
  const [row] = await session.query<{ id: string | null }>(`SELECT max(id)::text AS id FROM ${interactions}`);
  return row?.id ?? undefined;
}

function conditionOf(given: Parameters, name: string, value: SearchedValue): string {
  if (typeof value === "string" && !isStorable(value)) return "false";
  const key = given.add(name);
  const metadata = `(${readableMetadata("m")})`;
  const type = `json_typeof(${metadata} -> ${key})`;
  if (value === null) return `coalesce(${type}, 'null') = 'null'`;
  if (typeof value === "number") return `${doubleOf(`${metadata} -> ${key}`)} = ${given.add(value)}::double precision`;
  const types = typeof value === "string" ? "string" : "boolean";
  return `${type} = '${types}' AND ${metadata} ->> ${key} = ${given.add(String(value))}`;
}

function listed(row: FoundRow): ListedInteraction<"level"> {
  const { id, metadata, ...fields } = row;
  const { user_id, level, success, response_time_ms, timestamp } = fields;
  return {
    id: Number.isSafeInteger(Number(id)) ? Number(id) : BigInt(id),
    user_id,
    level,
    success,
    response_time_ms,
    timestamp,
    metadata: listedMetadata(metadata),
  };
}
