import { dropTestObject, testName } from "@perdura/test-servers/postgres/test_objects.js";
import type { Pattern } from "@perdura/v16";
import pg from "pg";
import { onTestFinished } from "vitest";
import { sqlName } from "@perdura/internals/text/quoted_sql.js";
import {
  PostgresMetricsCollector,
  type PostgresMetricsOptions,
  type PostgresOptions,
  PostgresPatternPersistence,
} from "../src/index.ts";
import { LAYOUT } from "./layouts.ts";

/** A unique name of a schema; an unusual one, since any name is allowed. */
export function newSchema(): string {
  return `unusual "name" ${testName()}`;
}

/** Patterns in a new schema unless the options name one; closed after the test. */
export function patternsIn(url: string, options: PostgresOptions = {}): PostgresPatternPersistence {
  const patterns = new PostgresPatternPersistence(url, { schema: newSchema(), ...LAYOUT, ...options });
  onTestFinished(() => patterns.close());
  return patterns;
}

/** Metrics in a new schema unless the options name one; closed after the test. */
export function metricsIn(url: string, options: PostgresMetricsOptions = {}): PostgresMetricsCollector {
  const metrics = new PostgresMetricsCollector(url, { schema: newSchema(), ...LAYOUT, ...options });
  onTestFinished(() => metrics.close());
  return metrics;
}

/** Connections like those of any other program; tables are found without naming the schema. */
export function otherProgram(url: string, schema: string): pg.Pool {
  const pool = poolOfOther(url, schema);
  onTestFinished(() => pool.end());
  return pool;
}

/** The same; the caller closes them. */
export function poolOfOther(url: string, schema: string): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, options: `-c search_path=${quoted(schema)}`, max: 4 });
  pool.on("error", () => undefined);
  return pool;
}

/**
 * The address with a new role that may use a schema; the role is dropped after the test.
 *
 * @param privileges On all tables of the schema.
 * @param more Other privileges, with their objects.
 */
export async function asNewRole(
  url: string,
  schema: string,
  owner: pg.Pool,
  privileges: string,
  more: readonly string[] = [],
): Promise<string> {
  const role = testName();
  onTestFinished(() => dropTestObject(owner, "ROLE", role));
  const name = sqlName(schema);
  const grants = [`USAGE ON SCHEMA ${name}`, `${privileges} ON ALL TABLES IN SCHEMA ${name}`, ...more];
  await owner.query(`CREATE ROLE ${role} LOGIN; ${grants.map((grant) => `GRANT ${grant} TO ${role}`).join("; ")}`);
  return Object.assign(new URL(url), { username: role }).href;
}

/** In the form of libpq's `options`: spaces and backslashes are escaped. */
function quoted(schema: string): string {
  return sqlName(schema).replaceAll(/[ \\]/g, "\\$&");
}

/** PostgreSQL does not support NUL; the other backends do. */
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
