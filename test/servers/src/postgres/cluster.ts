import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { appendFileSync, chmodSync, existsSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { ServerProcess } from "../processes/server_process.ts";

/** Durability and settings of a server. */
export interface ClusterOptions {
  /** The major version of PostgreSQL; the version of this run by default. */
  version?: number;
  /**
   * Syncs at each commit, which is PostgreSQL's default. Without it a killed server may lose commits, or all its data,
   * but tests that kill no server are much faster.
   */
  durable?: boolean;
  /**
   * Additional lines for `postgresql.conf`, by name: `{ max_connections: "20" }`. There is no Unix socket without
   * `unix_socket_directories`; `"."` is the data directory.
   */
  settings?: Record<string, string>;
}

const UNSAFE = { fsync: "off", full_page_writes: "off", synchronous_commit: "off" };

/** Puts the shared memory into the data directory, so that a killed server leaves nothing elsewhere. */
const LEAVES_NOTHING = process.platform === "win32" ? {} : { dynamic_shared_memory_type: "mmap" };

const INITDB = ["-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C", "--no-sync"];

/** Archive, next to the programs, of the data that `initdb` creates with these arguments. */
const KEPT = `cluster-${createHash("sha256").update(INITDB.join(" ")).digest("hex").slice(0, 8)}.tar`;

/** Data directory of a server. */
export function dataIn(directory: string): string {
  return join(directory, "data");
}

/** Creates the data of a server; its superuser is `postgres`, without a password. */
export async function createCluster(programs: string, directory: string, options: ClusterOptions): Promise<void> {
  const kept = join(dirname(programs), KEPT);
  if (existsSync(kept)) await run("tar", ["-xf", kept, "-C", directory], directory);
  else {
    await run(join(programs, "initdb"), [...INITDB, "-D", dataIn(directory)], directory);
    await keep(directory, kept);
  }
  const settings = {
    ...LEAVES_NOTHING,
    unix_socket_directories: "",
    ...(options.durable === true ? {} : UNSAFE),
    ...options.settings,
  };
  // In the file instead of the arguments, which ALTER SYSTEM could not override.
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value.replaceAll("'", "''")}'\n`);
  appendFileSync(join(dataIn(directory), "postgresql.conf"), lines.join(""));
}

/** Runs a program as the user of the servers, which then owns the data. */
async function run(program: string, words: readonly string[], directory: string): Promise<void> {
  const ran = new ServerProcess(program, words, directory);
  await ran.ended();
  if (ran.end !== "status 0") throw ran.failure("creating PostgreSQL's data directory failed");
}

/**
 * Stores new data for later servers: unpacking takes a tenth of the time of `initdb`. In one file, because a cleaner of
 * temporary files may remove only part of a directory.
 */
async function keep(directory: string, file: string): Promise<void> {
  const unfinished = join(directory, "cluster.tar");
  await promisify(execFile)("tar", ["-cf", unfinished, "-C", directory, "data"]);
  chmodSync(unfinished, 0o644);
  renameSync(unfinished, file);
}
