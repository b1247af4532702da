import { DamagedRecord } from "../record/damaged_record.ts";
import { RECORD_TABLE } from "../record/migration_record.ts";

const LITERAL = /^(?:NULL|-?[\d.e+-]+|X?'(?:[^']|'')*'|CAST\(X'[\dA-F]*' AS TEXT\))$/i;

/** @throws DamagedRecord unless these are literals, as a record of a migration has values: they become part of a statement. */
export function assertLiterals(values: readonly string[]): void {
  if (!values.every((value) => LITERAL.test(value)))
    throw new DamagedRecord(RECORD_TABLE, "a value in it is no number and no text, but a piece of SQL");
}
