import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test, vi } from "vitest";
import type { TestProject } from "vitest/node";
import { serverOfRun } from "../src/postgres/for_tests.ts";
import setup from "../src/postgres/global_setup.ts";
import { installedBinaries, noPostgres } from "../src/postgres/installed_binaries.ts";
import { copyOfPackage, openDirectory } from "./place_of_copy.ts";
import { needs } from "../../needs.ts";

const VITEST = fileURLToPath(new URL("../node_modules/vitest/vitest.mjs", import.meta.url));

const CONFIGURATION = `export default {
  test: {
    pool: "threads",
    projects: ["one", "two"].map((name) => ({
      test: { name, include: ["tests/" + name + ".test.ts"], globalSetup: "src/postgres/global_setup.ts" },
    })),
  },
};`;

/** Records the server that it was given. */
const TESTS = `import { writeFileSync } from "node:fs";
import { Client } from "pg";
import { expect, test } from "vitest";
import { describeWithPostgres } from "../src/postgres/for_tests.ts";
describeWithPostgres("a server", (postgres) => {
  test("answers", async () => {
    const client = new Client(postgres.url);
    await client.connect();
    expect((await client.query("SELECT 1 AS one")).rows).toEqual([{ one: 1 }]);
    await client.end();
    writeFileSync(import.meta.filename + ".url", postgres.serverUrl);
  });
});`;

describe("a run of two projects", () => {
  test("skips the tests if PostgreSQL is not installed", () => {
    const run = runOfTwo({ postgres: false }, {});
    expect(run).toMatchObject({ status: 0, urls: [] });
    expect(run.output).toMatch(/2 skipped/);
  });

  test("fails without PostgreSQL if TEST_REQUIRE names it", () => {
    const run = runOfTwo({ postgres: false }, { TEST_REQUIRE: "strace postgres", TEST_PG_VERSION: "15" });
    expect(run).toMatchObject({ status: 1, urls: [] });
    expect(run.output).toContain(`TEST_REQUIRE names postgres: ${noPostgres(15)}`);
  });

  test("uses the server of TEST_PG_URL", needs("postgres", serverOfRun() === undefined), () => {
    const url = serverOfRun() as string;
    const run = runOfTwo({ postgres: false }, { TEST_REQUIRE: "postgres", TEST_PG_URL: url });
    expect(run).toMatchObject({ status: 0, urls: [url, url] });
  });

  // That an error of the setup ends a run is tested above.
  test("fails if the server of TEST_PG_URL refuses the connection", async () => {
    const provide = vi.fn();
    const env = { TEST_PG_URL: "postgres://postgres@127.0.0.1:1/postgres" };
    await expect(setup({ config: { env }, provide } as unknown as TestProject)).rejects.toThrow(
      /^TEST_PG_URL: .*ECONNREFUSED/,
    );
    expect(provide).not.toHaveBeenCalled();
  });

  test("shares one server", needs("postgres", installedBinaries() === undefined), () => {
    const run = runOfTwo({ postgres: true }, {});
    expect(run.status).toBe(0);
    expect(run.urls).toHaveLength(2);
    expect(new Set(run.urls).size).toBe(1);
    expect(run.left).toEqual([]);
  });
});

/** Runs vitest in a copy of this package; returns its outcome, the servers that it used and the files that it left. */
function runOfTwo(copied: { postgres: boolean }, environment: NodeJS.ProcessEnv) {
  const [folder, temporary] = [copyOfPackage(copied), openDirectory()];
  const tests = join(folder, "tests");
  mkdirSync(tests);
  writeFileSync(join(folder, "vitest.config.js"), CONFIGURATION);
  for (const name of ["one", "two"]) writeFileSync(join(tests, `${name}.test.ts`), TESTS);
  const { status, stdout, stderr } = spawnSync(process.execPath, [VITEST, "run", "--reporter=verbose"], {
    cwd: folder,
    encoding: "utf8",
    env: { PATH: process.env["PATH"], NO_COLOR: "1", TMPDIR: temporary, ...environment },
  });
  const noted = readdirSync(tests).filter((name) => name.endsWith(".url"));
  return {
    status,
    output: stdout + stderr,
    urls: noted.map((name) => readFileSync(join(tests, name), "utf8")),
    left: readdirSync(temporary).filter((name) => name.startsWith("perdura-pg")),
  };
}
