import type { PoolClient } from "pg";
import type { Unreadable } from "../side.ts";

/** The name of the database's encoding in PostgreSQL. */
export async function encodingOf(client: PoolClient): Promise<string> {
  const { rows } = await client.query<{ encoding: string }>("SELECT getdatabaseencoding() AS encoding");
  return (rows[0] as { encoding: string }).encoding;
}

/** True if texts are stored as UTF-8 bytes without conversion. `SQL_ASCII` has no encoding. */
export function storesUtf8(encoding: string): boolean {
  return encoding === "UTF8" || encoding === "SQL_ASCII";
}

/** PostgreSQL's names for the errors of failed conversions. */
const CONVERSION_ERRORS = "untranslatable_character OR character_not_in_repertoire";

/**
 * Returns the characters that a conversion to the database's encoding and back changes. Only a PL/pgSQL block can
 * continue after a failed conversion; it has neither parameters nor a result, so both are passed in settings of the
 * transaction.
 */
export async function lackingCharacters(client: PoolClient, characters: readonly string[]): Promise<string[]> {
  const hex = characters.map((character) => Buffer.from(character).toString("hex")).join(" ");
  await client.query("SELECT set_config('perdura.characters', $1, true)", [hex]);
  const found = await runBlock(
    client,
    `DECLARE digits text; bytes bytea; lacking text := '';
     BEGIN
       FOREACH digits IN ARRAY string_to_array(current_setting('perdura.characters'), ' ') LOOP
         BEGIN
           bytes := decode(digits, 'hex');
           IF convert(convert(bytes, 'UTF8', getdatabaseencoding()), getdatabaseencoding(), 'UTF8') = bytes THEN
             CONTINUE;
           END IF;
         EXCEPTION WHEN ${CONVERSION_ERRORS} THEN NULL;
         END;
         lacking := lacking || ' ' || digits;
       END LOOP;
       PERFORM set_config('perdura.reported', lacking, true);
     END`,
  );
  return found.map((digits) => Buffer.from(digits, "hex").toString());
}

/** Maximum number of values that are listed. */
const LISTED_AT_MOST = 20;

/**
 * Finds values of a table that PostgreSQL cannot convert to UTF-8.
 *
 * @param from SQL for the table, with the alias `own`.
 * @param key SQL for the key.
 * @param texts SQL for each text value, by the name of its column.
 */
export async function unreadableValues(
  client: PoolClient,
  from: string,
  key: string,
  texts: ReadonlyMap<string, string>,
): Promise<Unreadable> {
  const values = [...texts.values()].map((value, index) => `${value} AS text_${index}`).join(", ");
  const all = [...texts].map((_, index) => `convert_to(found.text_${index}, 'UTF8')`).join(", ");
  const each = [...texts.keys()].map(
    (_, index) => `BEGIN
             PERFORM convert_to(found.text_${index}, 'UTF8');
           EXCEPTION WHEN ${CONVERSION_ERRORS} THEN
             reported := reported || ' ' || encode(convert_to(found.key_text, getdatabaseencoding()), 'hex') || ':${index}';
             CONTINUE;
           END;`,
  );
  const [rows, ...first] = await runBlock(
    client,
    `DECLARE found record; reported text := ''; rows_found bigint := 0;
     BEGIN
       FOR found IN SELECT ${key}::text AS key_text, ${values} FROM ${from} ORDER BY ${key} LOOP
         BEGIN
           PERFORM ${all};
         EXCEPTION WHEN ${CONVERSION_ERRORS} THEN
           rows_found := rows_found + 1;
           CONTINUE WHEN rows_found > ${LISTED_AT_MOST};
           ${each.join("\n           ")}
         END;
       END LOOP;
       PERFORM set_config('perdura.reported', rows_found::text || reported, true);
     END`,
  );
  const columns = [...texts.keys()];
  return {
    rows: Number(rows),
    first: first.map((text) => {
      const [digits, index] = text.split(":") as [string, string];
      return { key: printedBytes(Buffer.from(digits, "hex")), column: columns[Number(index)] as string };
    }),
  };
}

/** Runs a PL/pgSQL block, and returns the words of its result in the setting `perdura.reported`. */
async function runBlock(client: PoolClient, block: string): Promise<string[]> {
  await client.query(`DO ${DOLLARS}${block}${DOLLARS}`);
  const { rows } = await client.query<{ reported: string }>("SELECT current_setting('perdura.reported') AS reported");
  return (rows[0] as { reported: string }).reported.split(" ").filter((word) => word !== "");
}

/** A quote that no schema's name contains. */
const DOLLARS = "$perdura_5d1f0c3a$";

/** Bytes in an unknown encoding: printable ASCII unchanged, others in hexadecimal digits. */
function printedBytes(bytes: Buffer): string {
  return bytes
    .toString("latin1")
    .replaceAll(/[^ -~]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16).padStart(2, "0")}`);
}
