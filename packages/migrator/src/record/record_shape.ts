import type { MetricsTable } from "../databases/metrics_table.ts";
import type { SchemaEntry } from "../recognise/catalog.ts";
import type { Former } from "./migration_record.ts";
import type { Snapshot } from "./snapshot.ts";

/** Whoever can write to the file can write anything into a record: what is used of it is what it must be. */
export function isFormer(value: unknown): value is Former {
  return (
    isSnapshot(value) &&
    holds(value, "user_version", Number.isSafeInteger) &&
    holds(value, "metrics", orNull(isMetricsTable)) &&
    holds(value, "second", orNull(isMetricsTable)) &&
    holds(value, "built", listOf(isText)) &&
    holds(value, "dropped", listOf(isText))
  );
}

/** The state of a database, as JSON gives it. */
export function isSnapshot(value: unknown): value is Snapshot {
  return (
    holds(value, "objects", listOf(isEntry)) &&
    holds(value, "sequence", listOf(isCounter)) &&
    holds(value, "statistics", isStatistics) &&
    holds(value, "quarantined", orNull(isWholeNumber))
  );
}

type Check = (value: unknown) => boolean;

function holds(value: unknown, key: string, check: Check): boolean {
  return typeof value === "object" && value !== null && check((value as Record<string, unknown>)[key]);
}

function listOf(check: Check): Check {
  return (value) => Array.isArray(value) && value.every(check);
}

function orNull(check: Check): Check {
  return (value) => value === null || check(value);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isWholeNumber(value: unknown): boolean {
  return isText(value) && /^-?\d+$/.test(value);
}

function isEntry(value: unknown): value is SchemaEntry {
  const types: unknown[] = ["table", "index", "view", "trigger"] satisfies SchemaEntry["type"][];
  return (
    holds(value, "type", (type) => types.includes(type)) &&
    holds(value, "name", isText) &&
    holds(value, "table", isText) &&
    holds(value, "sql", orNull(isText))
  );
}

function isMetricsTable(value: unknown): value is MetricsTable {
  return (
    holds(value, "name", isText) &&
    holds(value, "columns", listOf(isText)) &&
    holds(value, "level", orNull(isText)) &&
    holds(value, "metadata", orNull(isText)) &&
    holds(value, "sideTable", (there) => typeof there === "boolean")
  );
}

function isCounter(value: unknown): boolean {
  return holds(value, "name", isText) && holds(value, "seq", isText);
}

function isStatistics(value: unknown): boolean {
  return (
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every(listOf(listOf(isText)))
  );
}
