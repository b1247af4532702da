import { ValidationError } from "@perdura/internals/errors/errors.js";
import { describe } from "@perdura/internals/text/describe.js";
import { assertOptions } from "@perdura/internals/text/options.js";

/** Common settings of patterns and metrics on PostgreSQL. */
export interface PostgresOptions {
  /** Schema of the tables; `perdura` by default. It need not be on the `search_path`. */
  schema?: string | undefined;
  /**
   * Allows perdura to create a missing schema; true by default. If false, an administrator creates the schema, and the
   * role only needs the privilege to create tables in it.
   */
  createSchema?: boolean | undefined;
  /**
   * Number of hash partitions by `user_id` with which the table `interactions` is created, 2 to 1024; not partitioned
   * by default. An existing table must have the same number.
   */
  partitions?: number | undefined;
  /**
   * Distributes the tables over the workers of a cluster of Citus, by `user_id`, when they are created; the address is
   * that of the coordinator, which must be registered in its cluster. Not together with `partitions`. Existing tables
   * must be distributed, too. Answers about a user come from the sums of one shard, and answers about all users from
   * those of every shard. There is no moment that all shards share: an answer about all users, and an export, may contain
   * an interaction but not an earlier one of a user in another shard. A shard that moved to another worker has no sums
   * until the next fold; until then, its rows are counted. Recording needs only the workers of its users.
   */
  distributed?: "citus" | undefined;
  /**
   * Longest wait for a connection to one server, in milliseconds. By default the value in seconds of the address's parameter
   * `connect_timeout`, or of the environment variable `PGCONNECT_TIMEOUT` (0 for no limit); 10,000 without either. Not
   * used with a pool that was passed.
   */
  connectTimeoutMs?: number | undefined;
  /**
   * Longest wait for a lock of another session, in milliseconds; 30,000 by default. With a pool that was passed, single
   * statements use the `lock_timeout` of its sessions.
   */
  busyTimeoutMs?: number | undefined;
}

/** {@link PostgresOptions} with all defaults that do not depend on the address. */
export interface CheckedOptions {
  schema: string;
  createSchema: boolean;
  partitions: number | undefined;
  distributed: "citus" | undefined;
  connectTimeoutMs: number | undefined;
  busyTimeoutMs: number;
}

const KNOWN = ["schema", "createSchema", "partitions", "distributed", "connectTimeoutMs", "busyTimeoutMs"] as const;

/** Maximum length of a name in PostgreSQL, which cuts longer ones off, in bytes of UTF-8. */
const LONGEST_NAME = 63;

/**
 * @param more Names of other options, which the caller checks.
 * @throws ValidationError that names the option.
 */
export function checkedOptions(options: PostgresOptions, more: readonly string[] = []): CheckedOptions {
  assertOptions("options", options, [...KNOWN, ...more]);
  const { schema = "perdura", createSchema = true, partitions, distributed } = options;
  if (typeof schema !== "string" || !isName(schema))
    refuse("schema", `a name of 1 to ${LONGEST_NAME} bytes without NUL that does not begin with pg_`, schema);
  if (typeof createSchema !== "boolean") refuse("createSchema", "a boolean", createSchema);
  if (partitions !== undefined && !isWhole(partitions, 2, 1024))
    refuse("partitions", "a whole number from 2 to 1024", partitions);
  if (distributed !== undefined && distributed !== "citus") refuse("distributed", '"citus"', distributed);
  if (distributed !== undefined && partitions !== undefined)
    refuse("partitions", "no partitions with the option distributed", partitions);
  return {
    schema,
    createSchema,
    partitions,
    distributed,
    connectTimeoutMs: milliseconds("connectTimeoutMs", options.connectTimeoutMs, undefined),
    busyTimeoutMs: milliseconds("busyTimeoutMs", options.busyTimeoutMs, 30_000),
  };
}

function isName(name: string): boolean {
  const bytes = Buffer.byteLength(name);
  return bytes > 0 && bytes <= LONGEST_NAME && !name.includes("\0") && name.isWellFormed() && !/^pg_/i.test(name);
}

function isWhole(value: unknown, least: number, most: number): boolean {
  return Number.isInteger(value) && (value as number) >= least && (value as number) <= most;
}

function milliseconds<Standard>(option: string, value: number | undefined, standard: Standard): number | Standard {
  if (value === undefined) return standard;
  // Maximum of PostgreSQL and of Node.js.
  if (!isWhole(value, 1, 0x7fffffff)) refuse(option, "a whole number of milliseconds, 1 or more", value);
  return value;
}

function refuse(option: string, expected: string, value: unknown): never {
  throw new ValidationError(`expected ${expected}, got ${describe(value)}.`, { argument: option });
}
