/**
 * Text that identifies a row of a table without row ids by its `id`, which can be a number, a blob, or text that is not
 * UTF-8. SQL over the columns of the table.
 */
export const KEY_OF_ID =
  "CASE typeof(id) WHEN 'integer' THEN 'i' || id WHEN 'real' THEN 'r' || quote(id) WHEN 'blob' THEN 'x' || hex(id) ELSE 't' || hex(id) END";

/** SQL for the id that {@link KEY_OF_ID} is the text of. */
export function idOfKey(key: string): string {
  return `(SELECT CASE substr(text, 1, 1) WHEN 'i' THEN CAST(substr(text, 2) AS INTEGER) WHEN 'r' THEN CAST(substr(text, 2) AS REAL) WHEN 'x' THEN unhex(substr(text, 2)) ELSE CAST(unhex(substr(text, 2)) AS TEXT) END FROM (SELECT ${key} AS text))`;
}
