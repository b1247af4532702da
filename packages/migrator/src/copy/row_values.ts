import type { Column } from "./tables.ts";

/** A row in text, the same on both sides, in the order of the columns; null is NULL. What is of another type begins with NUL. */
export type Row = readonly (string | null)[];

/** A value as SQLite gives it: integers as bigint; where all keys are exact in a double, as numbers. */
export type SqliteValue = bigint | number | string | Buffer | null;

/** Begins what a column holds that it should not: no value of PostgreSQL does. */
export const ODD = "\0odd\0";

export function fromSqlite({ kind }: Column, value: SqliteValue): string | null {
  if (value === null) return null;
  switch (kind) {
    case "integer":
    case "level":
      return typeof value === "bigint" || Number.isInteger(value) ? String(value) : odd(value);
    case "boolean":
      return value === 0n || value === 0 ? "f" : value === 1n || value === 1 ? "t" : odd(value);
    case "real":
      return typeof value === "number" ? realText(value) : odd(value);
    default:
      return typeof value === "string" ? value : odd(value);
  }
}

/** @param text As PostgreSQL writes it. */
export function fromPostgres({ kind }: Column, text: string | null): string | null {
  return kind === "real" && text !== null ? realText(Number(text)) : text;
}

export function toSqlite({ kind }: Column, text: string | null): bigint | number | string | null {
  if (text === null) return null;
  switch (kind) {
    case "integer":
    case "level":
      return BigInt(text);
    case "boolean":
      return text === "t" ? 1n : 0n;
    case "real":
      return Number(text);
    default:
      return text;
  }
}

/** The shortest text that is this number; the sign of zero is not kept by SQLite. */
function realText(value: number): string {
  return String(value === 0 ? 0 : value);
}

function odd(value: Exclude<SqliteValue, null>): string {
  if (Buffer.isBuffer(value)) return `${ODD}a blob of ${value.length} bytes`;
  if (typeof value === "string") return `${ODD}text ${JSON.stringify(value.slice(0, 40))}`;
  const isInteger = typeof value === "bigint" || Number.isInteger(value);
  return `${ODD}${isInteger ? "the integer" : "the real number"} ${String(value)}`;
}
