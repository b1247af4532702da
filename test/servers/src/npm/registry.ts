import { fileURLToPath } from "node:url";
import { NodeProcess } from "../processes/node_process.ts";
import { newServerDirectory, removeServerDirectory } from "../processes/server_directory.ts";
import { usersRegistry } from "./users_registry.ts";

/** An npm registry on this machine, to which perdura can be published without an account. */
export interface NpmRegistry {
  /** Ends with a slash. */
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/**
 * Starts verdaccio on a free port of 127.0.0.1. It fetches all other packages from the registry of the user's settings.
 *
 * @throws Error with its last output if it does not start.
 */
export async function startNpmRegistry(): Promise<NpmRegistry> {
  const directory = newServerDirectory("npm");
  const program = fileURLToPath(new URL("registry_program.ts", import.meta.url));
  const server = new NodeProcess("verdaccio", ["--no-warnings", program, directory], {
    PERDURA_USERS_REGISTRY: JSON.stringify(usersRegistry()),
  });
  const url = await server.listening(/listens on (http:\S+)/);
  return {
    url,
    pid: server.pid,
    stop: async () => {
      await server.stop();
      removeServerDirectory(directory);
    },
  };
}
