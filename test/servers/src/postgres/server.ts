import { freePort } from "../processes/free_port.ts";
import { newServerDirectory, removeServerDirectory } from "../processes/server_directory.ts";
import { createCluster, dataIn } from "./cluster.ts";
import type { ClusterOptions } from "./cluster.ts";
import { postgresPrograms } from "./copied_binaries.ts";
import { Postmaster } from "./postmaster.ts";
import type { EndMode } from "./postmaster.ts";
import { freeSharedMemory } from "./shared_memory.ts";

/** A separate server, in the state of a new one. It ends with our process at the latest. */
export interface PostgresServer {
  /** `postgres://postgres@127.0.0.1:PORT/postgres` */
  readonly url: string;
  readonly port: number;
  /** The directory of its data and its log. */
  readonly directory: string;
  /** Process id of the postmaster; of its last run if it is stopped. */
  readonly pid: number;
  /** Kills all its processes, as in a power cut; resolves once they have ended. */
  kill(): Promise<void>;
  /** Starts it again on the same port and data; resolves once it accepts clients. */
  start(): Promise<void>;
  /** Shuts it down and starts it again; also if it is stopped. */
  restart(mode: EndMode): Promise<void>;
  /** Ends it and removes its directory; it cannot be started again. */
  stop(): Promise<void>;
}

/** Number of ports that are tried; another process can take a port between the check and the start. */
const ATTEMPTS = 10;

/**
 * Starts a PostgreSQL server on a free port of 127.0.0.1.
 *
 * @param nextPort Returns the next port to try.
 * @throws Error with the server's last output if it does not start; its directory is removed.
 */
export async function startPostgres(
  options: ClusterOptions = {},
  nextPort: () => Promise<number> = freePort,
): Promise<PostgresServer> {
  const programs = postgresPrograms(options.version);
  return startServer(programs, (directory) => createCluster(programs, directory, options), nextPort);
}

/**
 * Starts a server on its own data.
 *
 * @param createData Creates the data in the server's directory.
 */
export async function startServer(
  programs: string,
  createData: (directory: string) => Promise<void>,
  nextPort: () => Promise<number> = freePort,
): Promise<PostgresServer> {
  const directory = newServerDirectory("pg");
  try {
    await createData(directory);
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const port = await nextPort();
      const postmaster = await Postmaster.start(programs, directory, port);
      if (postmaster !== undefined) return serverOf(programs, directory, port, postmaster);
    }
    throw new Error(`PostgreSQL did not start: each of ${ATTEMPTS} ports was already in use`);
  } catch (error) {
    removeServerDirectory(directory);
    throw error;
  }
}

function serverOf(programs: string, directory: string, port: number, first: Postmaster): PostgresServer {
  let postmaster = first;
  let removed = false;
  const start = async (): Promise<void> => {
    if (removed) throw new Error("this PostgreSQL server was stopped and its data removed: start another");
    if (postmaster.running) throw new Error(`the PostgreSQL server on port ${port} is already running: stop it first`);
    const next = await Postmaster.start(programs, directory, port);
    if (next === undefined) throw new Error(`port ${port}: another process took it while PostgreSQL was not running`);
    postmaster = next;
  };
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    port,
    directory,
    get pid() {
      return postmaster.pid;
    },
    kill: () => postmaster.kill(),
    start,
    restart: async (mode) => {
      await postmaster.end(mode);
      await start();
    },
    stop: async () => {
      // Whatever it would still write is removed anyway.
      await postmaster.end("immediate");
      removed = true;
      freeSharedMemory(dataIn(directory));
      removeServerDirectory(directory);
    },
  };
}
