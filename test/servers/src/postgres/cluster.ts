import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { ServerProcess } from "../processes/server_process.ts";

/** How a server keeps its data, and what else is set. */
export interface ClusterOptions {
  /**
   * Waits for the disk at each commit, as PostgreSQL does by default. Without it a killed server may lose commits, or all
   * that it has: tests that kill none are much faster so.
   */
  durable?: boolean;
  /** More lines for `postgresql.conf`, by name: `{ max_connections: "20" }`. */
  settings?: Record<string, string>;
}

const UNSAFE = { fsync: "off", full_page_writes: "off", synchronous_commit: "off" };

/** Lets the memory that processes share lie in the data directory, so that nothing of a killed server is left elsewhere. */
const LEAVES_NOTHING = process.platform === "win32" ? {} : { dynamic_shared_memory_type: "mmap" };

/** Where the data lie in a server's directory. */
export function dataIn(directory: string): string {
  return join(directory, "data");
}

/** Creates what a server needs before it can start; its superuser is `postgres`, who needs no password. */
export async function createCluster(programs: string, directory: string, options: ClusterOptions): Promise<void> {
  const words = ["-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C", "--no-sync", "-D", dataIn(directory)];
  const initdb = new ServerProcess(join(programs, "initdb"), words, directory);
  await initdb.ended();
  if (initdb.end !== "status 0") throw initdb.failure("a directory for PostgreSQL's data could not be made");
  const settings = { ...LEAVES_NOTHING, ...(options.durable === true ? {} : UNSAFE), ...options.settings };
  // In the file and not among the arguments, which ALTER SYSTEM could not override.
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value.replaceAll("'", "''")}'\n`);
  appendFileSync(join(dataIn(directory), "postgresql.conf"), lines.join(""));
}
