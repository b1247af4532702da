import { newDatabase } from "@perdura/test-servers/postgres/database.js";
import { dropTestObject, testName } from "@perdura/test-servers/postgres/test_objects.js";
import pg from "pg";
import { onTestFinished } from "vitest";

/** A database of a plain role, and further roles without privileges. */
export interface DatabaseOfRoles {
  /** A superuser. */
  admin: pg.Client;
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
  const server = new pg.Client({ connectionString: serverUrl });
  await server.connect();
  onTestFinished(() => server.end());
  const roles = Array.from({ length: others + 1 }, () => testName());
  for (const role of roles) {
    await server.query(`CREATE ROLE ${role} LOGIN`);
    onTestFinished(() => dropTestObject(server, "ROLE", role));
  }
  const [owner = "", ...rest] = roles;
  await server.query(`GRANT CREATE, CONNECT ON DATABASE ${database.name} TO ${owner}`);
  const admin = new pg.Client({ connectionString: database.url });
  await admin.connect();
  onTestFinished(async () => {
    for (const role of roles) await admin.query(`DROP OWNED BY ${role} CASCADE`);
    await admin.end();
  });
  const as = (role: string): string => Object.assign(new URL(database.url), { username: role }).href;
  return { admin, url: database.url, owner, others: rest, as };
}
