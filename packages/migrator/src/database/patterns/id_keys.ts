/**
 * Text that identifies a row of a table without row ids by its `id`, which can be a blob, or text that is not UTF-8. SQL
 * over the columns of the table.
 */
export const KEY_OF_ID = "iif(typeof(id) = 'blob', 'x', 't') || hex(id)";

/** SQL for the id that {@link KEY_OF_ID} is the text of. */
export function idOfKey(key: string): string {
  return `(SELECT iif(text LIKE 'x%', unhex(substr(text, 2)), CAST(unhex(substr(text, 2)) AS TEXT)) FROM (SELECT ${key} AS text))`;
}
