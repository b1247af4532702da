import { CorruptDataError, StorageError, UnsupportedFormatError } from "@perdura/internals/errors/errors.js";
import type { Connection, Session } from "../connection/connection.ts";
import { codeOf } from "../connection/failures.ts";
import { metricsTables } from "./metrics_tables.ts";
import { type Names, namesIn, quoteText } from "./names.ts";
import { numberAnew } from "./number_anew.ts";
import { patternTables } from "./pattern_tables.ts";

/** The version of the tables. A program refuses tables of a higher one. */
const LAYOUT_VERSION = 1;

/** The tables that are there. */
export interface Tables {
  /** Names of the tables and functions. */
  names: Names;
  /** Whether `interactions` is in several pieces; its metadata then carry the user. */
  partitioned: boolean;
}

/** What there is under the name of the schema. */
interface Found {
  version: number;
  /** How many hash partitions `interactions` has; 0 where it is in one piece. */
  partitions: number;
  /** The cluster has the number that it had when the numbers of transactions were noted. */
  same_cluster: boolean;
}

/**
 * Looks whether the tables are there, without creating anything.
 *
 * @returns Undefined where they are not.
 * @throws UnsupportedFormatError where a newer version of perdura made them.
 */
export async function lookForTables(connection: Connection): Promise<Tables | undefined> {
  const names = namesIn(connection.options.schema);
  const found = await find(connection, names);
  if (found === undefined) return undefined;
  check(found, connection);
  return { names, partitioned: found.partitions > 0 };
}

/**
 * Makes sure that the tables are there, and creates what is missing in one transaction. Any number of programs may begin at
 * once: the first creates, the others wait.
 */
export async function ensureTables(connection: Connection): Promise<Tables> {
  const names = namesIn(connection.options.schema);
  const found = await find(connection, names);
  if (found !== undefined) check(found, connection);
  if (found?.same_cluster === true) return { names, partitioned: found.partitions > 0 };
  return connection.transaction("write", async (session) => {
    await session.query(`SELECT pg_advisory_xact_lock(hashtextextended(${quoteText(`perdura ${names.schema}`)}, 0))`);
    const present = await find(session, names);
    if (present === undefined) await createAll(session, names, connection);
    else check(present, connection);
    if (present?.same_cluster === false) await runAll(session, numberAnew(names));
    return { names, partitioned: (present?.partitions ?? connection.options.partitions ?? 0) > 0 };
  });
}

async function find(session: Session, names: Names): Promise<Found | undefined> {
  // Not by to_regclass: what it knows may be older than a lock that was waited for.
  const [present] = await session.query(
    `SELECT 1 FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
     WHERE nspname = $1 AND relname = 'perdura_meta'`,
    [names.schemaName],
  );
  if (present === undefined) return undefined;
  const [found] = await session.query<Found>(
    `SELECT value::integer AS version, same_cluster,
       (SELECT count(*) FROM pg_inherits WHERE inhparent = to_regclass(${quoteText(names.interactions)})) AS partitions
     FROM ${names.meta}, (SELECT cluster = system_identifier AS same_cluster FROM ${names.rollup}, pg_control_system()) AS state
     WHERE key = 'layout_version'`,
  );
  return found;
}

function check(found: Found, { place, options }: Connection): void {
  const { schema, partitions = 0 } = options;
  if (found.version > LAYOUT_VERSION) {
    throw new UnsupportedFormatError(
      `${place}: the schema ${schema} has version ${found.version} of the tables; this program knows version ${LAYOUT_VERSION}. Use a newer version of perdura. It was left as it is.`,
      { path: place },
    );
  }
  if (options.partitions !== undefined && found.partitions !== partitions) {
    throw new CorruptDataError(
      `${place}: the table interactions in the schema ${schema} has ${found.partitions} partitions; the option says ${partitions}. It was left as it is.`,
      { path: place },
    );
  }
}

async function createAll(session: Session, names: Names, { place, options }: Connection): Promise<void> {
  const { schema, createSchema, partitions } = options;
  const [present] = await session.query(`SELECT 1 FROM pg_namespace WHERE nspname = $1`, [schema]);
  if (present === undefined && !createSchema) {
    throw new StorageError(
      `${place}: there is no schema ${schema}, and createSchema is false. Create it: CREATE SCHEMA ${names.schema}. Nothing was created.`,
      { path: place },
    );
  }
  try {
    // Looked for first: the statement wants the privilege even where the schema exists.
    if (present === undefined) await session.query(`CREATE SCHEMA ${names.schema}`);
    await runAll(session, [
      `CREATE TABLE ${names.meta} (key text PRIMARY KEY, value text NOT NULL)`,
      `INSERT INTO ${names.meta} VALUES ('layout_version', '${LAYOUT_VERSION}')`,
      ...patternTables(names),
      ...metricsTables(names, schema, partitions),
    ]);
  } catch (error) {
    if (codeOf(error) !== "42501") throw error;
    throw new StorageError(
      `${place}: the role may not create ${present === undefined ? `the schema ${schema}` : `tables in the schema ${schema}`}: ${(error as Error).message}. Nothing was created.`,
      { path: place, cause: error },
    );
  }
}

async function runAll(session: Session, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await session.query(statement);
}
