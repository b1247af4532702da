import type { TestContext, TestOptions } from "vitest";

/** Programs, rights and servers that npm does not provide, each with the way to it. `TEST_REQUIRE` uses their names. */
export const NEEDS = {
  acl: ["the commands getfacl and setfacl", "apt-get install acl"],
  attributes: ["root, on a file system with immutable files", "TMPDIR=… names a directory on ext4, for example"],
  bash: ["bash", "apt-get install bash"],
  browser: ["Chromium, which npm brings for Linux on x64", "install it, or set CHROMIUM_PATH"],
  bun: ["Bun", "npm install --global bun"],
  cargo: ["Rust", "apt-get install cargo"],
  citus: ["a cluster of Citus", "TEST_CITUS_URL=postgres://… npm test"],
  "citus-commands": ["commands that kill and start a worker of Citus", "TEST_CITUS_KILL=… TEST_CITUS_START=… npm test"],
  compiler: ["Linux and a C compiler", "apt-get install gcc libc6-dev"],
  deno: ["Deno", "npm install --global deno"],
  exfat: ["exFAT, and the right to mount it", "apt-get install exfat-fuse exfatprogs; run the tests as root"],
  fish: ["fish", "apt-get install fish"],
  go: ["Go and its SQLite driver", "apt-get install golang golang-github-mattn-go-sqlite3-dev"],
  linux: ["Linux", "run the tests there"],
  "linux-x64": ["Linux on x64", "run the tests there"],
  memory: ["4 GB of free memory in /dev/shm", "a container takes --shm-size=5g"],
  mount: ["the right to mount file systems", "run the tests on Linux as root; a container takes --privileged"],
  "node-20": ["Node.js 18 to 20 in /usr/bin", "apt-get install nodejs"],
  openssl: ["openssl", "apt-get install openssl"],
  "own-server": [
    "the tests' own server",
    "unset TEST_PG_URL, TEST_S3_URL, TEST_GCS_URL and TEST_AZURE_CONNECTION_STRING",
  ],
  pgbouncer: ["PgBouncer", "apt-get install pgbouncer"],
  "plain-tables": ["tables that are not distributed", "the project postgres runs these tests"],
  posix: ["a POSIX system", "run the tests on Linux or macOS"],
  postgres: ["PostgreSQL, which npm brings for most systems", "TEST_PG_URL=postgres://… npm test"],
  proxies: ["Node.js 22.21, or 24.5 or newer", "npm test uses such a version"],
  python: ["Python 3.10 or newer", "apt-get install python3"],
  root: ["root, and a repository that other users may read", "run the tests as root"],
  sha256sum: ["sha256sum", "apt-get install coreutils"],
  sqlite3: ["the command sqlite3", "apt-get install sqlite3"],
  strace: ["strace, and the right to trace", "apt-get install strace; a container takes --cap-add SYS_PTRACE"],
  terminal: ["the command script of util-linux", "apt-get install bsdutils"],
  zsh: ["zsh", "apt-get install zsh"],
} as const satisfies Record<string, readonly [what: string, enable: string]>;

export type Need = keyof typeof NEEDS;

declare module "vitest" {
  interface TaskMeta {
    /** The {@link Need} for want of which the test, or its group, is skipped. */
    needs?: string;
  }
}

/**
 * Options of a test or a group that is skipped if something is missing. The end of a run shows one line a need; where
 * `TEST_REQUIRE` has its name, that is a failure.
 *
 * @example describe("kills", needs("strace", !canTrace()), () => { … });
 */
export const needs = (need: Need, isMissing: boolean): TestOptions =>
  isMissing ? { skip: true, meta: { needs: need } } : {};

/** Options of a test or a group for POSIX systems. */
export const ON_POSIX: TestOptions = needs("posix", process.platform === "win32");

/** Options of a test or a group for Linux. */
export const ON_LINUX: TestOptions = needs("linux", process.platform !== "linux");

/** Skips the running test: only now is it known that something is missing. */
export function skipWithout(need: Need, context: TestContext): never {
  context.task.meta.needs = need;
  return context.skip();
}
