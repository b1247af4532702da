import { Client } from "pg";
import type { TestProject } from "vitest/node";
import { installedBinaries, noPostgres } from "./installed_binaries.ts";
import "./provided_context.ts";
import { startPostgres } from "./server.ts";
import type { PostgresServer } from "./server.ts";
import { testedVersion } from "./versions.ts";

/** A server of this run, and the number of vitest projects that use it. */
interface Shared {
  server: Promise<PostgresServer>;
  users: number;
}

/** Vitest loads this file once for each project; they share only the process. */
const PLACE = Symbol.for("@perdura/test-servers/postgres");

/**
 * Named in a project's `globalSetup`: starts one server of each version for the run, or uses the one that `TEST_PG_URL`
 * names. A project's own variables come first; its `TEST_PG_VERSION` selects the version. Tests access the server
 * through `for_tests.ts`.
 *
 * @returns A function that ends the server; it ends with the last project that uses it.
 * @throws Error if `TEST_PG_URL` leads to no server, or if there is no server although `TEST_REQUIRE`
 * names `postgres`.
 */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const env = { ...process.env, ...(project.config.env as NodeJS.ProcessEnv) };
  const named = env["TEST_PG_URL"];
  if (named !== undefined && named !== "") {
    await expectServer(named);
    project.provide("postgresUrl", named);
    return undefined;
  }
  const version = testedVersion(env);
  if (installedBinaries(version) === undefined) {
    if (!(process.env["TEST_REQUIRE"] ?? "").split(/\s+/).includes("postgres")) return undefined;
    throw new Error(
      `TEST_REQUIRE names postgres: ${noPostgres(version)}, which is ${process.platform}-${process.arch}; set TEST_PG_URL`,
    );
  }
  const servers = ((globalThis as Record<symbol, unknown>)[PLACE] ??= new Map()) as Map<number, Shared>;
  const shared = servers.get(version) ?? { server: startPostgres({ version }), users: 0 };
  servers.set(version, shared);
  shared.users += 1;
  const server = await shared.server;
  project.provide("postgresUrl", server.url);
  return async () => {
    shared.users -= 1;
    if (shared.users > 0) return;
    servers.delete(version);
    await server.stop();
  };
}

/** Checks the connection; otherwise each test would fail without the reason. */
async function expectServer(url: string): Promise<void> {
  try {
    const client = new Client({ connectionString: url });
    await client.connect();
    await client.end();
  } catch (error) {
    throw new Error(`TEST_PG_URL: cannot connect to a PostgreSQL server: ${(error as Error).message}`, {
      cause: error,
    });
  }
}
