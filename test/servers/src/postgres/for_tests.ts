import { afterAll, beforeAll, describe, inject } from "vitest";
import { newDatabase } from "./database.ts";
import type { TestDatabase } from "./database.ts";
import "./provided_context.ts";
import { NO_POSTGRES } from "./installed_binaries.ts";

/** What tests have of the server of a run. */
export interface TestPostgres {
  /** Of the server's own database, where nothing should be changed. */
  readonly serverUrl: string;
  /** Of a database for these tests alone; to be asked for inside of tests and hooks, where it is there. */
  readonly url: string;
}

/**
 * Describes tests that need PostgreSQL. They have an empty database of their own, which is dropped after them; where there
 * is no server they are skipped, and their name says why.
 *
 * ```ts
 * describeWithPostgres("the log", (postgres) => {
 *   test("starts empty", async () => { const client = new Client(postgres.url); … });
 * });
 * ```
 */
export function describeWithPostgres(name: string, tests: (postgres: TestPostgres) => void): void {
  const server = serverOfRun();
  // Not on this platform: there are no binaries of PostgreSQL for it. With REQUIRE_BACKENDS=1 the run has failed already.
  if (server === undefined) describe.skip(`${name} (${NO_POSTGRES})`, () => tests(withDatabase("")));
  else describe(name, () => tests(withDatabase(server)));
}

/** The URL of the server of this run; undefined where there is none for this platform. */
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
      if (database === undefined) throw new Error("the database for these tests is there in tests and hooks only");
      return database.url;
    },
  };
}
