/**
 * Runs the tests that need PostgreSQL on each version that perdura supports; `node dev/tools/postgres_versions.ts 14
 * 15` on some of them. Installs the versions that `pnpm install` omits, from the lockfile in `test/servers/nightly`.
 */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { POSTGRES_VERSIONS } from "../../test/servers/src/postgres/versions.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const nightly = fileURLToPath(new URL("../../test/servers/nightly/", import.meta.url));

/** Files of tests that use a server of the run, or their own. */
const TESTS = ["packages/postgres/test", "packages/migrator/test/copy", "packages/conformance/test/table_dump"];
const OF_SERVERS = ["database", "server", "standby"].map((name) => `test/servers/test/${name}.test.ts`);

/** Three times as many random cases as `npm test`, unless the environment says otherwise. */
const PERDURA_RUNS = process.env["PERDURA_RUNS"] ?? "3";

const versions = process.argv.length > 2 ? process.argv.slice(2).map(Number) : POSTGRES_VERSIONS;
const unknown = versions.filter((version) => !POSTGRES_VERSIONS.includes(version));
if (unknown.length > 0) {
  console.error(
    `postgres_versions: expected versions among ${POSTGRES_VERSIONS.join(", ")}, got ${process.argv.slice(2).join(", ")}`,
  );
  process.exit(2);
}

if (!runs("pnpm", ["install", "--frozen-lockfile", "--ignore-scripts", "--reporter=silent"], nightly)) process.exit(1);
const failed = versions.filter((version) => {
  console.log(`\nPostgreSQL ${version}:`);
  return !runs("pnpm", ["vitest", "run", ...TESTS, ...OF_SERVERS], root, {
    TEST_PG_VERSION: `${version}`,
    PERDURA_RUNS,
  });
});
console.log(failed.length === 0 ? "\nAll versions passed." : `\nFailed on PostgreSQL ${failed.join(", ")}.`);
process.exitCode = failed.length === 0 ? 0 : 1;

function runs(program: string, words: readonly string[], cwd: string, environment: NodeJS.ProcessEnv = {}): boolean {
  const { status, signal, error } = spawnSync(program, words, {
    cwd,
    env: { ...process.env, TEST_PG_URL: "", ...environment },
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  if (error !== undefined) throw error;
  if (signal !== null) process.kill(process.pid, signal);
  return status === 0;
}
