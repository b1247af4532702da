import { testName } from "@perdura/test-servers/postgres/test_objects.js";
import type { Pattern } from "@perdura/v16";
import pg from "pg";
import { onTestFinished } from "vitest";
import {
  PostgresMetricsCollector,
  type PostgresMetricsOptions,
  type PostgresOptions,
  PostgresPatternPersistence,
} from "../src/index.ts";

/** Names of a schema that no other test has; odd ones, since a name may be anything. */
export function newSchema(): string {
  return `odd "name" ${testName()}`;
}

/** Patterns in a schema of their own unless the options name one; closed when the test is over. */
export function patternsIn(url: string, options: PostgresOptions = {}): PostgresPatternPersistence {
  const patterns = new PostgresPatternPersistence(url, { schema: newSchema(), ...options });
  onTestFinished(() => patterns.close());
  return patterns;
}

/** Metrics in a schema of their own unless the options name one; closed when the test is over. */
export function metricsIn(url: string, options: PostgresMetricsOptions = {}): PostgresMetricsCollector {
  const metrics = new PostgresMetricsCollector(url, { schema: newSchema(), ...options });
  onTestFinished(() => metrics.close());
  return metrics;
}

/** Sends statements as any other program does; tables are found without naming the schema. */
export function otherProgram(url: string, schema: string): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, options: `-c search_path=${quoted(schema)}`, max: 4 });
  pool.on("error", () => undefined);
  onTestFinished(() => pool.end());
  return pool;
}

/** In the form of libpq's `options`: blanks and backslashes are escaped. */
function quoted(schema: string): string {
  return `"${schema.replaceAll('"', '""')}"`.replaceAll(/[ \\]/g, "\\$&");
}

/** PostgreSQL holds no NUL; the other backends do. */
export function withoutNul(pattern: Pattern): Pattern {
  const without = <Text extends string | null>(text: Text): Text => (text?.replaceAll("\0", "") ?? null) as Text;
  return {
    ...pattern,
    pattern_type: without(pattern.pattern_type),
    name: without(pattern.name),
    description: without(pattern.description),
    code: without(pattern.code),
  };
}
