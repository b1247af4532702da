import { isAboutDatabase, portable } from "../inspect/database_copy.ts";
import type { ScratchDatabase, StoredValue } from "../inspect/database_copy.ts";
import { show } from "../values/escape.ts";
import { quoteName } from "./database_objects.ts";
import type { DatabaseObject } from "./database_objects.ts";
import { suiteText } from "../inspect/suite_text.ts";
import type { Difference, FindingList } from "./finding_list.ts";

/** A fault of a stored value. `wanted` contains no data. */
export interface ValueFault {
  level: "error" | "remark";
  requirement: string | undefined;
  wanted: string;
  /** Explanation of a fault that the value alone does not show. */
  why?: string;
}

/** Judges a stored value; its JavaScript type shows the storage class. */
export type ValueRule = (value: StoredValue) => ValueFault | undefined;

const A_BLOB = Buffer.of(0);

/** Maximum number of cells with a replacement character that are checked byte by byte. */
const SUSPECTS = 10_000;

/**
 * Judges every row of a table, one at a time. Missing and generated columns are skipped.
 * @param rules by the names of the columns, in lower case.
 * @param notText level and requirement of the finding for text that is not UTF-8.
 */
export function judgeRows(
  copy: ScratchDatabase,
  table: DatabaseObject,
  rules: Record<string, ValueRule>,
  notText: Pick<ValueFault, "level" | "requirement">,
  list: FindingList,
): void {
  const columns = Object.keys(rules).filter((name) => table.columns.get(name)?.computed === false);
  const key = keyOf(copy, table);
  if (columns.length === 0) return;
  // A blob breaks the rule of every column.
  for (const column of columns) list.judged(rules[column]?.(A_BLOB)?.requirement ?? "");
  const suspects: { column: string; row: StoredValue }[] = [];
  const names = columns.map((name) => quoteName(table.columns.get(name)?.name as string));
  for (const [row, ...values] of copy.each(`SELECT ${key.sql}, ${names.join(", ")} FROM ${quoteName(table.name)}`)) {
    for (const [index, value] of values.entries()) {
      const column = columns[index] as string;
      const fault = (rules[column] as ValueRule)(value);
      if (fault)
        list[fault.level](fault.requirement, {
          ...placeOf(table, column, key, row as StoredValue),
          wanted: `${column}: ${fault.wanted}`,
          got: fault.why === undefined ? shown(value) : suiteText(`${fault.why}: ${String(value)}`),
        });
      if (typeof value === "string" && value.includes("\uFFFD") && suspects.length < SUSPECTS)
        suspects.push({ column, row: row as StoredValue });
    }
  }
  for (const { column, row } of suspects) {
    if (!isUtf8(copy, table, column, key, row))
      list[notText.level](notText.requirement, {
        ...placeOf(table, column, key, row),
        wanted: `${column}: text in UTF-8`,
        got: suiteText("bytes that are not UTF-8"),
      });
  }
}

interface Key {
  /** SQL expression that selects the key. */
  sql: string;
  /** Name of the key in findings. */
  name: string;
}

/** The row id, under a name that no column has; in a table without row ids, the column id. */
function keyOf(copy: ScratchDatabase, { name, columns }: DatabaseObject): Key {
  const alias = ["rowid", "_rowid_", "oid"].find((word) => !columns.has(word));
  if (alias !== undefined) {
    try {
      copy.rows(`SELECT ${alias} FROM ${quoteName(name)} LIMIT 0`);
      return { sql: alias, name: "row" };
    } catch (error) {
      if (!isAboutDatabase(error)) throw error;
    }
  }
  return columns.has("id") ? { sql: '"id"', name: "id" } : { sql: "NULL", name: "row" };
}

function placeOf(table: DatabaseObject, column: string, key: Key, row: StoredValue): Pick<Difference, "at" | "cell"> {
  const id = typeof row === "bigint" ? String(row) : show(portable(row));
  return { at: `${table.name}.${column}, ${key.name} ${id}`, cell: { table: table.name, column, row: portable(row) } };
}

function shown(value: StoredValue): unknown {
  return Buffer.isBuffer(value) ? suiteText(`a blob of ${value.length} bytes`) : portable(value);
}

/** SQLite replaces invalid UTF-8 with replacement characters, which valid text may contain, too. */
function isUtf8(copy: ScratchDatabase, table: DatabaseObject, column: string, key: Key, row: StoredValue): boolean {
  if (copy.rows("PRAGMA encoding")[0]?.encoding !== "UTF-8") return true;
  const sql = `SELECT CAST(${quoteName(table.columns.get(column)?.name as string)} AS BLOB) AS bytes FROM ${quoteName(table.name)} WHERE ${key.sql} = ?`;
  const found = copy.rows(sql, String(row))[0]?.bytes as { $bytes: string } | undefined;
  return (
    found === undefined ||
    Buffer.from(Buffer.from(found.$bytes, "hex").toString("utf8"), "utf8").toString("hex") === found.$bytes
  );
}
