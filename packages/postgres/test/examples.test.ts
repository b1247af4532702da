import { newDatabase, type TestDatabase } from "@perdura/test-servers/postgres/database.js";
import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { examplesOfPage, examplesOfSources, outcomeOf, runExamples } from "../../../test/repository/run_example.ts";

const examples = [
  ...examplesOfSources("packages/postgres/src"),
  ...examplesOfPage("packages/postgres/README.md"),
  ...examplesOfPage("docs/guides/postgresql.md"),
].map((example, index) => ({ ...example, index }));

/**
 * The examples use `postgres://localhost/agents`; the environment gives the other settings of the server, even if it is
 * elsewhere.
 */
describeWithPostgres("examples", (postgres) => {
  let databases: TestDatabase[] = [];
  let outcomes: Awaited<ReturnType<typeof runExamples>> = [];

  beforeAll(async () => {
    const { hostname, port, username, password, searchParams } = new URL(postgres.serverUrl);
    databases = await Promise.all(examples.map(() => newDatabase(postgres.serverUrl)));
    const ours = examples.map(({ code, index }) => ({
      code: code.replaceAll("//localhost/agents", `//${hostname}/${databases[index]?.name}`),
      line: "postgres" as const,
    }));
    outcomes = await runExamples(ours, {
      PGPORT: port,
      PGUSER: decodeURIComponent(username),
      PGPASSWORD: decodeURIComponent(password),
      PGSSLMODE: searchParams.get("sslmode") ?? "disable",
    });
  });

  afterAll(() => Promise.all(databases.map((database) => database.drop())));

  test.for(examples)("$place", ({ index }) => {
    const { printed, promised } = outcomeOf(outcomes[index]);
    expect(printed).toEqual(promised);
  });
});
