import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { installedBinaries, NO_POSTGRES } from "../src/postgres/installed_binaries.ts";
import { runs } from "../src/processes/process_tree.ts";
import { until } from "../src/processes/until.ts";
import { openDirectory } from "./place_of_copy.ts";
import type { HeldServer } from "./programs/hold_server.ts";
import { query } from "./query.ts";

const NONE = installedBinaries() === undefined;
const PROGRAM = fileURLToPath(new URL("programs/hold_server.ts", import.meta.url));

describe.skipIf(NONE)(`servers whose holder is killed${NONE ? ` (${NO_POSTGRES})` : ""}`, () => {
  test.each(["SIGKILL", "SIGTERM", "SIGINT"] as const)("end, and leave no directory (%s)", async (signal) => {
    const { child, directory } = holder();
    const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
    const held = JSON.parse(line) as HeldServer;
    expect(await query(held.url, "SELECT 1")).toEqual([[1]]);
    expect(held.tree.length).toBeGreaterThan(3);
    expect(held.tree.every(runs)).toBe(true);
    child.kill(signal);
    await once(child, "exit");
    await until("the end of the servers", () => !held.tree.some(runs) && serverDirectories(directory).length === 0);
    expect(existsSync(held.directory)).toBe(false);
  });

  test.skipIf(process.platform !== "linux")("end also when they had only begun to start", async () => {
    for (const moment of ["data", "data/PG_VERSION", "data/postgresql.conf", "data/postmaster.pid"]) {
      const { child, directory } = holder();
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

/** Starts a process that holds a server; its directories are all that it makes in this one, beside the programs. */
function holder() {
  const directory = openDirectory();
  const child = spawn(process.execPath, ["--no-warnings", PROGRAM], {
    env: { ...process.env, TMPDIR: directory },
    stdio: ["ignore", "pipe", "inherit"],
  });
  return { child, directory };
}

function serverDirectories(directory: string): string[] {
  return readdirSync(directory).filter((name) => /^perdura-(?:pg|pgbouncer)-/.test(name));
}

/** The command lines of all processes that have to do with a directory. */
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
