import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { killTree, signal, untilGone } from "../processes/process_tree.ts";
import { ServerProcess } from "../processes/server_process.ts";
import { until } from "../processes/until.ts";
import { answers } from "../processes/answers.ts";
import { dataIn } from "./cluster.ts";

/** Shutdown mode: `fast` rolls back open transactions, `immediate` leaves recovery to the next start. */
export type EndMode = "fast" | "immediate";

const SIGNALS = { fast: "SIGINT", immediate: "SIGQUIT" } as const;

/** One run of a server, from its start to its end. */
export class Postmaster {
  readonly #programs: string;
  readonly #process: ServerProcess;

  private constructor(programs: string, process: ServerProcess) {
    this.#programs = programs;
    this.#process = process;
  }

  /**
   * Starts a server on the data of a directory and waits until it accepts clients.
   *
   * @returns Undefined if another process has the port.
   */
  static async start(programs: string, directory: string, port: number): Promise<Postmaster | undefined> {
    const data = dataIn(directory);
    const settings = ["listen_addresses=127.0.0.1", `port=${port}`];
    const words = ["-D", data, ...settings.flatMap((setting) => ["-c", setting])];
    const postgres = new ServerProcess(join(programs, "postgres"), words, directory);
    // Its own file first: on the port alone, the server of another process could answer.
    const ready = async (): Promise<boolean> => saysReady(data, postgres.pid) && (await answers(port));
    try {
      await until("PostgreSQL to accept connections", async () => postgres.end !== undefined || (await ready()));
    } catch (error) {
      await untilGone(killTree(postgres.pid));
      throw Object.assign(postgres.failure("PostgreSQL did not start in time"), { cause: error });
    }
    if (postgres.end === undefined) return new Postmaster(programs, postgres);
    if (/could not bind|could not create any TCP\/IP sockets/.test(postgres.said)) return undefined;
    throw postgres.failure("PostgreSQL did not start");
  }

  get pid(): number {
    return this.#process.pid;
  }

  get running(): boolean {
    return this.#process.end === undefined;
  }

  /** Kills it and all its child processes. */
  async kill(): Promise<void> {
    const killed = this.running ? killTree(this.pid) : [];
    // Also reaps the process: until then its lock on the data looks like that of a live one.
    await this.#process.ended();
    await untilGone(killed);
  }

  /** Asks it to end, and waits until it has ended. */
  async end(mode: EndMode): Promise<void> {
    if (!this.running) return;
    const name = SIGNALS[mode];
    if (process.platform === "win32") spawnSync(join(this.#programs, "pg_ctl"), ["kill", name.slice(3), `${this.pid}`]);
    else signal(this.pid, name);
    await this.#process.ended();
  }
}

/**
 * A server writes its process id into the first line of this file, and `ready` into the eighth once it accepts clients.
 */
function saysReady(data: string, pid: number): boolean {
  try {
    const lines = readFileSync(join(data, "postmaster.pid"), "utf8").split("\n");
    return lines[0] === `${pid}` && lines[7]?.trim() === "ready";
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}
