import { pathOf, readableMetadata } from "../metadata_sql.ts";
import { NO_VALUE } from "./value_names.ts";

/** Keys of metadata whose values are named, and keys whose numbers are read. */
export interface NamedKeys {
  keys: readonly string[];
  numbers: readonly string[];
}

/** The parameters of {@link namedRows}. */
export function namedKeyParameters({ keys, numbers }: NamedKeys): object {
  return Object.fromEntries([
    ...keys.map((key, index) => [`key${index}`, pathOf(key)]),
    ...numbers.map((key, index) => [`number${index}`, pathOf(key)]),
  ]);
}

/**
 * SQL for interactions with the names of their values (`name0`, `name1` …; see `value_names.ts`) and their numbers
 * (`number0` …; null without one).
 *
 * @param columns Columns of `interactions` to select.
 */
export function namedRows({ keys, numbers }: NamedKeys, columns: readonly string[], where: string): string {
  const selected = [
    ...columns,
    ...keys.map((_, index) => `${nameSql(`@key${index}`)} AS name${index}`),
    ...numbers.map((_, index) => `${numberSql(`@number${index}`)} AS number${index}`),
  ];
  // A user may have added columns to the tables: only the named ones are selected. Other programs may have stored text
  // that is not JSON.
  return `SELECT ${selected.join(", ")}
    FROM (SELECT ${columns.join(", ")}, ${readableMetadata("known.metadata")} AS metadata
      FROM (SELECT ${[...new Set(["id", ...columns])].join(", ")} FROM interactions WHERE ${where}) AS interaction
      LEFT JOIN interaction_metadata AS known ON known.interaction_id = interaction.id)`;
}

function nameSql(path: string): string {
  return `coalesce(CASE json_type(metadata, ${path})
    WHEN 'text' THEN 'text:' || (metadata ->> ${path})
    WHEN 'true' THEN 'true:' WHEN 'false' THEN 'false:' WHEN 'null' THEN '${NO_VALUE}'
    WHEN 'integer' THEN 'number:' || (metadata -> ${path}) WHEN 'real' THEN 'number:' || (metadata -> ${path})
    ELSE 'json:' || (metadata -> ${path}) END, '${NO_VALUE}')`;
}

function numberSql(path: string): string {
  return `CASE WHEN json_type(metadata, ${path}) IN ('integer', 'real') THEN (metadata ->> ${path}) * 1.0 END`;
}
