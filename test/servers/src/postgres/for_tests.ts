import { afterAll, beforeAll, describe, inject } from "vitest";
import { newDatabase } from "./database.ts";
import type { TestDatabase } from "./database.ts";
import "./provided_context.ts";

/** Access of tests to the server of a run. */
export interface TestPostgres {
  /** URL of the server's own database, in which nothing should be changed. */
  readonly serverUrl: string;
  /** URL of a database for these tests only; to be read inside of tests and hooks, when it exists. */
  readonly url: string;
}

/**
 * Describes tests that need PostgreSQL. They have their own empty database, which is dropped after them. Without a server they are skipped.
 *
 * ```ts
 * describeWithPostgres("the log", (postgres) => {
 *   test("starts empty", async () => { const client = new Client(postgres.url); … });
 * });
 * ```
 */
export function describeWithPostgres(name: string, tests: (postgres: TestPostgres) => void): void {
  const server = serverOfRun();
  const options = server === undefined ? { skip: true, meta: { needs: "postgres" } } : {};
  describe(name, options, () => tests(withDatabase(server ?? "")));
}

/** The URL of the server of this run; undefined on a platform without PostgreSQL. */
export function serverOfRun(): string | undefined {
  return inject("postgresUrl");
}

function withDatabase(serverUrl: string): TestPostgres {
  let database: TestDatabase | undefined;
  beforeAll(async () => {
    database = await newDatabase(serverUrl);
  });
  afterAll(async () => database?.drop());
  return {
    serverUrl,
    get url() {
      if (database === undefined) throw new Error("the database can only be used in tests and hooks");
      return database.url;
    },
  };
}
