import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

// Runs the tests of stores, and the shared suite of backups, on a given server: pnpm test:store ADDRESS

const TESTS = "packages/backup/test";

/** By the scheme of an address: the variable that passes it to the tests, and their files. */
const STORES: Record<string, { variable: string; files: string[] }> = {
  "s3:": { variable: "TEST_S3_URL", files: [`${TESTS}/shared/s3.test.ts`, `${TESTS}/stores/s3`] },
  "gs:": { variable: "TEST_GCS_URL", files: [`${TESTS}/shared/gcs.test.ts`, `${TESTS}/stores/gcs`] },
};

const USAGE = `pnpm test:store ADDRESS

Run the tests of perdura-backup on your server, for example
  pnpm test:store 's3://bucket/prefix?endpoint=https://host:port'
  pnpm test:store gs://bucket/prefix

Credentials are read by the vendor's SDK (AWS_ACCESS_KEY_ID,
~/.aws, GOOGLE_APPLICATION_CREDENTIALS). Everything is stored below the prefix
perdura-test-… and removed at the end, on S3 with all versions; nothing
else in the bucket is read or changed. It stores some 300 MB. Exit code 0: all
passed.`;

const [address = "", ...more] = process.argv.slice(2);
const store = STORES[/^[a-z0-9]+:/.exec(address)?.[0] ?? ""];
if (store === undefined || more.length > 0) {
  // The address is not repeated: it may contain a secret.
  console.error(
    address === "--help" || address === "-h"
      ? USAGE
      : `Expected one address that begins with s3:// or gs://.\n\n${USAGE}`,
  );
  process.exit(address === "--help" || address === "-h" ? 0 : 2);
}
const root = fileURLToPath(new URL("../..", import.meta.url));
const vitest = fileURLToPath(new URL("../../node_modules/vitest/vitest.mjs", import.meta.url));
const { status } = spawnSync(process.execPath, [vitest, "run", ...store.files], {
  cwd: root,
  env: { ...process.env, [store.variable]: address },
  stdio: "inherit",
});
process.exit(status ?? 1);
