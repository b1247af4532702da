import { expect, test } from "vitest";
import { newDatabase } from "../src/postgres/database.ts";
import { describeWithPostgres } from "../src/postgres/for_tests.ts";
import { busyConnection, query } from "./query.ts";

const seen: string[] = [];

describeWithPostgres("tests on the server of a run", (postgres) => {
  test("have an empty database of their own", async () => {
    expect(await query(postgres.url, "SELECT count(*)::int FROM pg_class WHERE relname = 'mine'")).toEqual([[0]]);
    await query(postgres.url, "CREATE TABLE mine ()");
    seen.push(nameIn(postgres.url));
  });
});

describeWithPostgres("other tests on the same server", (postgres) => {
  test("have another database, and the previous one was dropped", async () => {
    expect(await query(postgres.url, "SELECT count(*)::int FROM pg_class WHERE relname = 'mine'")).toEqual([[0]]);
    seen.push(nameIn(postgres.url));
    expect(seen).toHaveLength(2);
    const left = `SELECT datname FROM pg_database WHERE datname IN ('${seen.join("', '")}')`;
    expect(await query(postgres.serverUrl, left)).toEqual([[seen[1]]]);
  });

  test("can drop a database with an active connection", async () => {
    const database = await newDatabase(postgres.serverUrl);
    const { ended } = await busyConnection(database.url);
    await database.drop();
    expect(await ended).toBeInstanceOf(Error);
    await expect(query(database.url, "SELECT 1")).rejects.toThrow(`database "${database.name}" does not exist`);
  });
});

function nameIn(url: string): string {
  return new URL(url).pathname.slice(1);
}
