/**
 * SQL that is true for text that is not UTF-8. SQLite stores such text for programs in C; JavaScript reads it as other
 * text, so no program in JavaScript can ask for it. A database in UTF-16 has none.
 *
 * @param text SQL for the text.
 */
export function isNotUtf8(text: string): string {
  return `(${mayNotBeUtf8(text)} AND ${IS_UTF8_DATABASE} AND typeof(${text}) = 'text' AND ${hasInvalidCharacter(`CAST(${text} AS BLOB)`)})`;
}

/** SQL that is true for nearly no other text than those that are not UTF-8 or not ASCII, and takes little time. */
export function mayNotBeUtf8(text: string): string {
  return `(${text} GLOB '*[^' || char(1) || '-' || char(127) || ']*' OR instr(${text}, char(0)) > 0)`;
}

const IS_UTF8_DATABASE = "(SELECT encoding = 'UTF-8' FROM pragma_encoding)";

/** The length of the first character of bytes in hexadecimal, by table 3-7 of the Unicode standard; NULL if it is invalid. */
const LENGTH = `CASE
  WHEN h < '80' THEN 1
  WHEN h GLOB '[CD]?[89AB]?*' AND h >= 'C2' THEN 2
  WHEN h GLOB 'E?[89AB]?[89AB]?*' AND substr(h, 1, 3) NOT IN ('E08', 'E09', 'EDA', 'EDB') THEN 3
  WHEN h GLOB 'F[0-4][89AB]?[89AB]?[89AB]?' AND substr(h, 1, 3) NOT IN ('F08', 'F49', 'F4A', 'F4B') THEN 4 END`;

/** Reads characters from the first byte on, and stops at one that is invalid. */
function hasInvalidCharacter(bytes: string): string {
  return `(WITH RECURSIVE read(place, h) AS (
    SELECT 1, hex(substr(${bytes}, 1, 4))
    UNION ALL SELECT place + ${LENGTH}, hex(substr(${bytes}, place + ${LENGTH}, 4)) FROM read WHERE h <> '' AND ${LENGTH} IS NOT NULL
  ) SELECT max(place) <= length(${bytes}) FROM read)`;
}
