import { randomBytes } from "node:crypto";
import { type ClientBase, escapeIdentifier } from "pg";

/** Objects that tests create on a server, which may be a developer's own, and remove again. */
type Kind = "DATABASE" | "ROLE" | "SCHEMA";

/** Part of the name of every object of the tests, and of no other. */
const MARK = /(?<![a-z\d])perdura_test_[\da-f]{8}/;

/** A unique name for a database, a role or a schema, with the mark of tests. */
export function testName(): string {
  return `perdura_test_${randomBytes(8).toString("hex")}`;
}

/**
 * Removes a database, a role with its objects in this database, or a schema with all its content; does nothing if it
 * does not exist. Tests remove these objects only by this function.
 *
 * @throws Error for a name without the mark of tests, except for a schema in a database whose name has it.
 */
export async function dropTestObject(client: Pick<ClientBase, "query">, kind: Kind, name: string): Promise<void> {
  if (!MARK.test(name) && !(kind === "SCHEMA" && (await isInTestDatabase(client))))
    throw new Error(
      `${kind} ${name}: not created by tests: its name does not contain perdura_test_ and a number. Nothing was dropped.`,
    );
  const quoted = escapeIdentifier(name);
  if (kind === "ROLE") {
    const { rows } = await client.query("SELECT 1 FROM pg_roles WHERE rolname = $1", [name]);
    if (rows.length > 0) await client.query(`DROP OWNED BY ${quoted} CASCADE`);
  }
  await client.query(`DROP ${kind} IF EXISTS ${quoted}${kind === "SCHEMA" ? " CASCADE" : ""}`);
}

async function isInTestDatabase(client: Pick<ClientBase, "query">): Promise<boolean> {
  const { rows } = await client.query<{ name: string }>("SELECT current_database() AS name");
  return MARK.test(rows[0]?.name ?? "");
}
