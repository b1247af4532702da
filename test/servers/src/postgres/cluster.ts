import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { appendFileSync, chmodSync, existsSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { ServerProcess } from "../processes/server_process.ts";

/** How a server keeps its data, and what else is set. */
export interface ClusterOptions {
  /** The major version of PostgreSQL; that of this run by default. */
  version?: number;
  /**
   * Waits for the disk at each commit, as PostgreSQL does by default. Without it a killed server may lose commits, or all
   * that it has: tests that kill none are much faster so.
   */
  durable?: boolean;
  /**
   * More lines for `postgresql.conf`, by name: `{ max_connections: "20" }`. There is no Unix socket without
   * `unix_socket_directories`; `"."` is the directory of the data.
   */
  settings?: Record<string, string>;
}

const UNSAFE = { fsync: "off", full_page_writes: "off", synchronous_commit: "off" };

/** Lets the memory that processes share lie in the data directory, so that nothing of a killed server is left elsewhere. */
const LEAVES_NOTHING = process.platform === "win32" ? {} : { dynamic_shared_memory_type: "mmap" };

const INITDB = ["-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C", "--no-sync"];

/** The file beside the programs with the data that `initdb` makes with these words. */
const KEPT = `cluster-${createHash("sha256").update(INITDB.join(" ")).digest("hex").slice(0, 8)}.tar`;

/** Where the data lie in a server's directory. */
export function dataIn(directory: string): string {
  return join(directory, "data");
}

/** Creates what a server needs before it can start; its superuser is `postgres`, who needs no password. */
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
  // In the file and not among the arguments, which ALTER SYSTEM could not override.
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value.replaceAll("'", "''")}'\n`);
  appendFileSync(join(dataIn(directory), "postgresql.conf"), lines.join(""));
}

/** Runs a program as the user of the servers, who owns the data then. */
async function run(program: string, words: readonly string[], directory: string): Promise<void> {
  const ran = new ServerProcess(program, words, directory);
  await ran.ended();
  if (ran.end !== "status 0") throw ran.failure("a directory for PostgreSQL's data could not be made");
}

/**
 * Keeps new data for the next servers: unpacking them takes a tenth of the time of `initdb`. In one file, because a
 * cleaner of temporary files may remove only part of a directory.
 */
async function keep(directory: string, file: string): Promise<void> {
  const unfinished = join(directory, "cluster.tar");
  await promisify(execFile)("tar", ["-cf", unfinished, "-C", directory, "data"]);
  chmodSync(unfinished, 0o644);
  renameSync(unfinished, file);
}
