import { chownSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { answers } from "../processes/answers.ts";
import { freePort } from "../processes/free_port.ts";
import { plainUser } from "../processes/plain_user.ts";
import { killTree, untilGone } from "../processes/process_tree.ts";
import { newServerDirectory, removeServerDirectory } from "../processes/server_directory.ts";
import { ServerProcess } from "../processes/server_process.ts";
import { until } from "../processes/until.ts";
import { configuration } from "./configuration.ts";
import { installedPgBouncer } from "./installed_pgbouncer.ts";

/** A pooler in front of a PostgreSQL server, in transaction pooling mode. It ends with our process at the latest. */
export interface PgBouncer {
  /** The server's URL, but through the pooler. */
  readonly url: string;
  readonly pid: number;
  /** The directory of its configuration and its log. */
  readonly directory: string;
  /** Ends it, even with connected clients, and removes its directory. */
  stop(): Promise<void>;
}

/** Number of ports that are tried; another process can take a port between the check and the start. */
const ATTEMPTS = 10;

/**
 * Starts PgBouncer on a free port of 127.0.0.1 in front of a running server.
 *
 * @param settings Additional lines for the section `pgbouncer` of its configuration: `{ default_pool_size: "2" }`.
 * @returns Undefined if it is not installed.
 * @throws Error with its last output if it does not start; its directory is removed.
 */
export async function startPgBouncer(
  server: { url: string },
  settings: Record<string, string> = {},
): Promise<PgBouncer | undefined> {
  const program = installedPgBouncer();
  if (program === undefined) return undefined;
  const directory = newServerDirectory("pgbouncer");
  try {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const port = await freePort();
      const pooler = await started(program, directory, port, configuration(server.url, port, settings));
      if (pooler !== undefined) return pgBouncerOf(pooler, directory, server.url, port);
    }
    throw new Error(`PgBouncer did not start: each of ${ATTEMPTS} ports was already in use`);
  } catch (error) {
    removeServerDirectory(directory);
    throw error;
  }
}

/** Undefined if another process has the port. */
async function started(
  program: string,
  directory: string,
  port: number,
  text: string,
): Promise<ServerProcess | undefined> {
  const file = join(directory, "pgbouncer.ini");
  writeFileSync(file, text, { mode: 0o600 });
  const user = plainUser();
  if (user !== undefined) chownSync(file, user.uid, user.gid);
  const pooler = new ServerProcess(program, [file], directory);
  // Its log first: on the port alone, the server of another process could answer.
  const ready = async (): Promise<boolean> => pooler.said.includes("process up:") && (await answers(port));
  try {
    await until("PgBouncer to accept connections", async () => pooler.end !== undefined || (await ready()));
  } catch (error) {
    await untilGone(killTree(pooler.pid));
    throw Object.assign(pooler.failure("PgBouncer did not start in time"), { cause: error });
  }
  if (pooler.end === undefined) return pooler;
  if (/Address already in use/i.test(pooler.said)) return undefined;
  throw pooler.failure("PgBouncer did not start");
}

function pgBouncerOf(pooler: ServerProcess, directory: string, serverUrl: string, port: number): PgBouncer {
  const url = new URL(serverUrl);
  url.host = `127.0.0.1:${port}`;
  return {
    url: url.href,
    pid: pooler.pid,
    directory,
    stop: async () => {
      if (pooler.end === undefined) killTree(pooler.pid);
      await pooler.ended();
      removeServerDirectory(directory);
    },
  };
}
