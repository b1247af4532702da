import { newDatabase } from "@perdura/test-servers/postgres/database.js";
import { dropTestObject, testName } from "@perdura/test-servers/postgres/test_objects.js";
import pg from "pg";
import { onTestFinished } from "vitest";

/** A database of a plain role, and further roles without privileges. */
export interface DatabaseOfRoles {
  /** A superuser. */
  admin: pg.Client;
  /** Runs statements of the superuser, each alone: Citus sends workers the whole text of a message. */
  change: (statements: string) => Promise<void>;
  url: string;
  /** The names of the owner of the database and of the other roles. */
  owner: string;
  others: readonly string[];
  /** The address with one of the roles. */
  as: (role: string) => string;
}

/** Creates a database and its roles; they are dropped after the test. */
export async function databaseOfRoles(serverUrl: string, others: number): Promise<DatabaseOfRoles> {
  const database = await newDatabase(serverUrl);
  onTestFinished(() => database.drop());
  const admin = new pg.Client({ connectionString: database.url });
  await admin.connect();
  onTestFinished(() => admin.end());
  // In this database, which on a cluster tells the workers of its roles.
  const roles = Array.from({ length: others + 1 }, () => testName());
  for (const role of roles) {
    await admin.query(`CREATE ROLE ${role} LOGIN`);
    onTestFinished(() => dropTestObject(admin, "ROLE", role));
  }
  const [owner = "", ...rest] = roles;
  await admin.query(`GRANT CREATE, CONNECT ON DATABASE ${database.name} TO ${owner}`);
  onTestFinished(async () => {
    for (const role of roles) await admin.query(`DROP OWNED BY ${role} CASCADE`);
  });
  const change = async (statements: string): Promise<void> => {
    for (const statement of statements.split(";")) await admin.query(statement);
  };
  const as = (role: string): string => Object.assign(new URL(database.url), { username: role }).href;
  return { admin, change, url: database.url, owner, others: rest, as };
}
