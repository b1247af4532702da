import type { DumpedValue, TypeClass } from "../../src/table_dump/dump.ts";
import { numberFromBigInt, numberFromDouble } from "../../src/values/numbers.ts";

const CLASSES: readonly (readonly [RegExp, TypeClass])[] = [
  [/^(?:smallint|integer|bigint)$/, "integer"],
  [/^(?:real|double precision)$/, "real"],
  [/^boolean$/, "boolean"],
  [/^(?:text|character varying|character|name)$/, "text"],
  [/^jsonb?$/, "json"],
  [/^(?:timestamp|date|time)/, "timestamp"],
];

/** The class of a type of PostgreSQL. */
export function typeClass(type: string): TypeClass {
  return CLASSES.find(([pattern]) => pattern.test(type))?.[1] ?? "other";
}

/** The value for a text of PostgreSQL. */
export function dumpedValue(type: TypeClass, text: string | null): DumpedValue {
  if (text === null) return null;
  if (type === "integer") return numberFromBigInt(BigInt(text));
  if (type === "boolean") return text === "true";
  if (type !== "real") return text;
  // JSON.stringify would write 0.
  return text === "-0" ? { $number: text } : numberFromDouble(Number(text));
}
