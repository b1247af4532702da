import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { installedBinaries } from "../src/postgres/installed_binaries.ts";
import { runs } from "../src/processes/process_tree.ts";
import { until } from "../src/processes/until.ts";
import { openDirectory, sharedDirectory } from "./place_of_copy.ts";
import type { HeldServer } from "./programs/hold_server.ts";
import { query } from "./query.ts";
import { needs, ON_LINUX } from "../../needs.ts";

const NONE = installedBinaries() === undefined;
const PROGRAM = fileURLToPath(new URL("programs/hold_server.ts", import.meta.url));

describe("servers whose starting process is killed", needs("postgres", NONE), () => {
  // One place for all tests, each of which has to leave it unchanged: the programs of a server are copied there once.
  let place: string;
  beforeAll(() => {
    const { directory, remove } = sharedDirectory();
    place = directory;
    return remove;
  });

  test.each([
    ["SIGKILL", "with a standby", ["standby"]],
    ["SIGTERM", "alone", []],
    ["SIGINT", "alone", []],
  ] as const)("end and leave no directory (%s, %s)", async (signal, _, words) => {
    const child = holder(place, words);
    const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
    const held = JSON.parse(line) as HeldServer;
    expect(await query(held.url, "SELECT 1")).toEqual([[1]]);
    // A process that only starts the server, or serves one query, may have ended.
    expect(held.tree.filter(runs).length).toBeGreaterThan(3);
    child.kill(signal);
    await once(child, "exit");
    await until("the end of the servers", () => !held.tree.some(runs) && serverDirectories(place).length === 0);
    expect(existsSync(held.directory)).toBe(false);
  });

  test.each([
    ["did not exist", ["data", "data/postgresql.conf"]],
    ["already existed", ["data", "data/PG_VERSION", "data/postmaster.pid"]],
  ])("also end while they are starting, if the copy of PostgreSQL %s", ON_LINUX, async (found, moments) => {
    for (const moment of moments) {
      const directory = found === "already existed" ? place : openDirectory();
      const child = holder(directory);
      const begun = (): boolean =>
        serverDirectories(directory).some((name) => existsSync(`${directory}/${name}/${moment}`));
      await until(`a server to begin in ${directory}`, begun);
      child.kill("SIGKILL");
      await once(child, "exit");
      await until(
        "the end of the servers",
        () => serverDirectories(directory).length === 0 && commands(directory).length === 0,
      );
    }
  });
});

/**
 * Starts a process that holds a server; it makes only its directories in this one, in addition to the programs of the
 * servers.
 */
function holder(directory: string, words: readonly string[] = []) {
  const child = spawn(process.execPath, ["--no-warnings", PROGRAM, ...words], {
    env: { ...process.env, TMPDIR: directory },
    stdio: ["ignore", "pipe", "inherit"],
  });
  // After a failure, the next tests would wait for its server.
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

function serverDirectories(directory: string): string[] {
  return readdirSync(directory).filter((name) => /^perdura-(?:pg|pgbouncer)-/.test(name));
}

/** The command lines of all processes that mention a directory. */
function commands(directory: string): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => (existsSync(`/proc/${name}/cmdline`) ? commandLine(name) : ""))
    .filter((line) => line.includes(directory));
}

function commandLine(name: string): string {
  try {
    return readFileSync(`/proc/${name}/cmdline`, "utf8");
  } catch {
    return "";
  }
}
