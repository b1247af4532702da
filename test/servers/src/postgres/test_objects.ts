import { randomBytes } from "node:crypto";
import { type ClientBase, escapeIdentifier } from "pg";

/** What tests make on a server that may be somebody's own, and remove again. */
type Kind = "DATABASE" | "ROLE" | "SCHEMA";

/** Part of the name of whatever tests make, and of nothing else. */
const MARK = /(?<![a-z\d])perdura_test_[\da-f]{8}/;

/** A name for a database, a role or a schema that nothing else has, with the mark of tests. */
export function testName(): string {
  return `perdura_test_${randomBytes(8).toString("hex")}`;
}

/**
 * Removes a database, a role with what it owns in this database, or a schema with all that is in it; does nothing where it
 * is not there. Tests remove such things by this function alone.
 *
 * @throws Error for a name without the mark of tests, unless it is that of a schema in a database whose name has it.
 */
export async function dropTestObject(client: Pick<ClientBase, "query">, kind: Kind, name: string): Promise<void> {
  if (!MARK.test(name) && !(kind === "SCHEMA" && (await isInTestDatabase(client))))
    throw new Error(
      `${kind} ${name}: tests did not make it, since its name has no perdura_test_ and number. Nothing was dropped.`,
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
