import { Client } from "pg";
import { expect, onTestFinished, test } from "vitest";
import { newDatabase } from "../src/postgres/database.ts";
import { describeWithPostgres } from "../src/postgres/for_tests.ts";
import { dropTestObject, testName } from "../src/postgres/test_objects.ts";
import { query } from "./query.ts";

test.each([
  ["DATABASE", "agents"],
  ["DATABASE", "perdura_0123456789abcdef"],
  ["DATABASE", "perdura_test"],
  ["DATABASE", "perdura_test_agents"],
  ["DATABASE", "myperdura_test_0123456789abcdef"],
  ["ROLE", "postgres"],
  ["ROLE", "agents_owner"],
] as const)("the %s %s, which tests did not create, is never dropped", async (kind, name) => {
  // Not even queried: there is no server.
  const nowhere = { query: () => Promise.reject(new Error("sent something")) };
  await expect(dropTestObject(nowhere as never, kind, name)).rejects.toThrow(`${kind} ${name}: not created by tests`);
});

describeWithPostgres("objects created by tests", (postgres) => {
  test("are dropped with their content, and dropping them again does nothing", async () => {
    const [role, schema] = [testName(), `odd "name" ${testName()}`];
    const client = await connected(postgres.url);
    const quoted = client.escapeIdentifier(schema);
    await client.query(
      `CREATE ROLE ${role}; CREATE SCHEMA ${quoted}; CREATE TABLE ${quoted}.filled AS SELECT 1 AS one;
       GRANT SELECT ON ${quoted}.filled TO ${role}`,
    );
    for (let time = 0; time < 2; time += 1) {
      await dropTestObject(client, "ROLE", role);
      await dropTestObject(client, "SCHEMA", schema);
    }
    const left = `SELECT rolname FROM pg_roles WHERE rolname = '${role}'
      UNION ALL SELECT nspname FROM pg_namespace WHERE nspname = '${schema}'`;
    expect(await query(postgres.url, left)).toEqual([]);
  });

  test("include every schema of a database of tests, and no schema of another database", async () => {
    const database = await newDatabase(postgres.serverUrl);
    onTestFinished(() => database.drop());
    const schemas = "SELECT nspname FROM pg_namespace WHERE nspname = 'public'";
    await dropTestObject(await connected(database.url), "SCHEMA", "public");
    expect(await query(database.url, schemas)).toEqual([]);
    // As in a developer's own database.
    const other = { query: async () => ({ rows: [{ name: "agents" }] }) };
    await expect(dropTestObject(other as never, "SCHEMA", "perdura")).rejects.toThrow(
      "SCHEMA perdura: not created by tests: its name does not contain perdura_test_ and a number. Nothing was dropped.",
    );
  });
});

async function connected(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}
