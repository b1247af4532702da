import { availableParallelism, tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { PATIENCE_MS } from "./test/patience.ts";
import { OLDEST_POSTGRES } from "./test/servers/src/postgres/versions.ts";
import { memoryFolder } from "./dev/tools/tests/memory_folder.ts";
import { pathWithPython } from "./dev/tools/tests/python_on_path.ts";

/** Tests run on the sources: this condition leads every import of a workspace package there. */
const conditions = ["@perdura/source"];

/** Gives a project's tests a PostgreSQL server, one for all of them. */
const POSTGRES = "test/servers/src/postgres/global_setup.ts";

/** Bundles the programs that tests start. */
const PROGRAMS = "dev/tools/tests/bundle_programs.ts";

/** Projects whose tests need a real disk. */
const ON_DISK = ["soak"];
const disk = tmpdir();
/** Tests and servers make many thousand files for a moment: a disk would make them wait. */
if (process.env["TMPDIR"] === undefined) {
  const memory = memoryFolder();
  // For this process as well, which starts the servers of the run.
  if (memory !== undefined) process.env["TMPDIR"] = memory;
}

/** Lets Node.js size the thread pool of V8 by the number of processors; by default it has four threads. */
const THREADS_BY_PROCESSORS = "--v8-pool-size=0";

/**
 * Warnings that tests cause on purpose, and those of the drivers about settings that tests choose: a person has nothing to
 * do about them. Others, such as one about too many listeners, are shown.
 */
const EXPECTED_WARNINGS = [
  "PERDURA_COUNTER_BEHIND",
  "PERDURA_NO_WRITE_AHEAD_LOG",
  "PERDURA_NOT_REMOVED",
  "MetadataLookupWarning",
  "DeprecationWarning",
  "Warning",
].map((kind) => `--disable-warning=${kind}`);

const project = (name: string, include: string[], globalSetup: string[] = [], env: Record<string, string> = {}) => ({
  extends: true as const,
  test: {
    name,
    env: { ...(ON_DISK.includes(name) ? { TMPDIR: disk } : {}), ...env },
    include,
    globalSetup,
  },
});

/** The test that kills a worker of a cluster, whose other tests would fail meanwhile. */
const KILLED_WORKER = "packages/postgres/test/citus/killed_worker.test.ts";

type Project = ReturnType<typeof project>;

/** A project without one of its files. */
const without = ({ test, ...rest }: Project, file: string) => ({ ...rest, test: { ...test, exclude: [file] } });

/** A project whose files run after those of all others, one at a time. */
const after = ({ test, ...rest }: Project) => ({
  ...rest,
  test: { ...test, maxWorkers: 1, sequence: { groupOrder: 1 } },
});

const postgresTests = (names: string[]): string[] => names.map((name) => `packages/postgres/test/${name}.test.ts`);

/** Tests of `@perdura/postgres` that go by what the server does; the others go by the driver and the commands. */
const BY_SERVER = postgresTests([
  "connection",
  "counters",
  "declared_keys",
  "folding",
  "foreign_changes",
  "idempotency",
  "indexes",
  "metrics",
  "open_transactions",
  "patterns",
  "renamed_schema",
  "replication",
  "restored",
  "role_settings",
  "set_up",
  "standby",
  "trends",
]);

/** Tests of `@perdura/postgres` that go by what is in the tables, but not by the server. */
const IN_SHARDS = postgresTests([
  "any_changes",
  "any_deletions",
  "any_roles",
  "breakdown",
  "connection",
  "counters",
  "declared_keys",
  "deletion",
  "failures",
  "folding",
  "foreign_changes",
  "idempotency",
  "left_out_rows",
  "metrics",
  "open_transactions",
  "patterns",
  "renamed_schema",
  "role_settings",
  "row_security",
  "set_up",
  "trends",
  "usage_deletion",
]);

/** These tests on the oldest PostgreSQL as well, with a fifth of the made-up cases; not where a server or version is chosen. */
const onOldestPostgres =
  process.env["TEST_PG_URL"] || process.env["TEST_PG_VERSION"]
    ? []
    : [
        project(`postgres-${OLDEST_POSTGRES}`, BY_SERVER, [POSTGRES], {
          TEST_PG_VERSION: `${OLDEST_POSTGRES}`,
          PERDURA_RUNS: String(0.2 * Number(process.env["PERDURA_RUNS"] ?? 1)),
        }),
      ];

/** These tests with distributed tables, and fewer made-up cases, where a cluster of Citus is named. */
const onCitus = process.env["TEST_CITUS_URL"]
  ? [
      project("citus", IN_SHARDS, [POSTGRES], {
        TEST_PG_URL: process.env["TEST_CITUS_URL"],
        TEST_LAYOUT: "citus",
        PERDURA_RUNS: String(0.2 * Number(process.env["PERDURA_RUNS"] ?? 1)),
      }),
    ]
  : [];

export default defineConfig({
  resolve: { conditions },
  // Without "import", which Node.js would then use for require() as well: a package that has both forms would break.
  ssr: { resolve: { conditions: [...conditions, "node"] } },
  test: {
    pool: "forks",
    isolate: false,
    env: {
      PATH: pathWithPython(),
      // Otherwise the terminal of the run would decide, for example a dumb one.
      TERM: "xterm",
      // For the programs that tests start.
      NODE_OPTIONS: `${process.env["NODE_OPTIONS"] ?? ""} ${THREADS_BY_PROCESSORS}`.trimStart(),
      // Hundreds of tests start programs from the sources: compiled once, these start in half the time.
      NODE_COMPILE_CACHE: fileURLToPath(new URL("node_modules/.cache/compiled", import.meta.url)),
      // The same for Python, whose adapters the suite starts a hundred times; no file is written next to their sources.
      PYTHONPYCACHEPREFIX: fileURLToPath(new URL("node_modules/.cache/python", import.meta.url)),
      PYTHONDONTWRITEBYTECODE: "",
      // A busy machine may answer a client of PostgreSQL late.
      PGCONNECT_TIMEOUT: String(Math.ceil(PATIENCE_MS / 1000)),
    },
    // One more than processors: a worker often waits for a server, or for a program that it started.
    maxWorkers: availableParallelism() + 1,
    execArgv: [THREADS_BY_PROCESSORS, ...EXPECTED_WARNINGS],
    testTimeout: PATIENCE_MS,
    hookTimeout: PATIENCE_MS,
    teardownTimeout: PATIENCE_MS,
    expect: { poll: { timeout: PATIENCE_MS } },
    setupFiles: ["./dev/tools/tests/measure_file.ts", "./dev/tools/tests/same_values.ts"],
    // What passing tests print, such as warnings of the clouds' own packages, says nothing.
    silent: "passed-only",
    reporters: ["./dev/tools/tests/run_reporter.ts"],
    projects: [
      project("cli", ["packages/cli/test/**/*.test.ts"]),
      project("internals", ["packages/internals/test/**/*.test.ts"]),
      project("summary", ["packages/summary/test/**/*.test.ts"]),
      project("lines", ["test/lines/**/*.test.ts"], [PROGRAMS]),
      project("doors", ["test/doors/**/*.test.ts"], [PROGRAMS, POSTGRES]),
      project("conformance", ["packages/conformance/test/**/*.test.ts"], [PROGRAMS, POSTGRES]),
      project(
        "migrator",
        ["packages/migrator/test/**/*.test.ts"],
        ["packages/migrator/test/build_program.ts", PROGRAMS, POSTGRES],
      ),
      without(project("postgres", ["packages/postgres/test/**/*.test.ts"], [POSTGRES]), KILLED_WORKER),
      after(project("citus-kill", [KILLED_WORKER])),
      ...onOldestPostgres,
      ...onCitus,
      project("backup", ["packages/backup/test/**/*.test.ts"], ["packages/backup/test/global_setup.ts"]),
      project("inspect", ["packages/inspect/test/**/*.test.ts"], [POSTGRES]),
      project("mcp", ["packages/mcp/test/**/*.test.ts"], [PROGRAMS, POSTGRES]),
      project("otel", ["packages/otel/test/**/*.test.ts"], [POSTGRES]),
      project("mutation", ["dev/mutation/test/**/*.test.ts"]),
      project("selftest", ["dev/selftest/test/**/*.test.ts"], [PROGRAMS]),
      project("faults", ["dev/faults/test/**/*.test.ts"]),
      project("soak", ["dev/soak/test/**/*.test.ts"], [PROGRAMS]),
      project("bench", ["dev/bench/test/**/*.test.ts"], [POSTGRES]),
      project("servers", ["test/servers/test/**/*.test.ts"], [POSTGRES]),
      project("installed", ["test/installed/test/**/*.test.ts"], ["test/installed/src/global_setup.ts", POSTGRES]),
      project("ways_in", ["test/ways_in/**/*.test.ts"], ["test/ways_in/install_suite.ts"]),
      project("site", ["dev/site/test/**/*.test.ts"]),
      project("repository", ["test/{repository,fixtures,hostile}/**/*.test.ts"]),
    ],
  },
});
