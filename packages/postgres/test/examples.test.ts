import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import pg from "pg";
import { expect, test } from "vitest";
import { examplesOfPage, examplesOfSources, runExample } from "../../../test/repository/run_example.ts";

const examples = [
  ...examplesOfSources("packages/postgres/src"),
  ...examplesOfPage("packages/postgres/README.md"),
  ...examplesOfPage("docs/guides/postgresql.md"),
];

/** They are about `postgres://localhost/agents`; the environment says the rest about a server, also where it is elsewhere. */
describeWithPostgres("examples", (postgres) => {
  test.for(examples)("$place", async ({ code }) => {
    const server = new pg.Client({ connectionString: postgres.serverUrl });
    await server.connect();
    try {
      await server.query("CREATE DATABASE agents TEMPLATE template0");
      const { hostname, port, username, password, searchParams } = new URL(postgres.serverUrl);
      const { printed, promised } = runExample(
        code.replaceAll("//localhost/", `//${hostname}/`),
        "postgres",
        undefined,
        {
          PGPORT: port,
          PGUSER: decodeURIComponent(username),
          PGPASSWORD: decodeURIComponent(password),
          PGSSLMODE: searchParams.get("sslmode") ?? "disable",
        },
      );
      expect(printed).toEqual(promised);
    } finally {
      await server.query("DROP DATABASE IF EXISTS agents WITH (FORCE)");
      await server.end();
    }
  });
});
