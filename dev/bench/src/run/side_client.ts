import { type ChildProcess, fork, spawnSync } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Participant } from "../measure/measure.ts";
import type { Answer, Done, Ending, Question, Ready } from "./messages.ts";
import type { Assignment } from "./side_process.ts";

const PROGRAM = fileURLToPath(new URL("side_process.ts", import.meta.url));
const NODE_OPTIONS = ["--conditions=@perdura/source", "--disable-warning=ExperimentalWarning"];

/** Compiles the program of the sides once, into a shared directory, unless the environment names one. */
export function compileSides(directory: string): void {
  if (process.env["NODE_COMPILE_CACHE"] !== undefined) return;
  process.env["NODE_COMPILE_CACHE"] = directory;
  spawnSync(process.execPath, [...NODE_OPTIONS, PROGRAM], { stdio: ["ignore", "inherit", "inherit"] });
}

const atWork = new Set<SideClient>();

/** Ends all sides, even during a round. */
export async function stopSides(): Promise<void> {
  await Promise.all([...atWork].map((side) => side.stop()));
}

/** One side in its process. */
export class SideClient implements Participant {
  /** Empty until the side is ready. */
  name = "";
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
    atWork.add(this);
    child.once("exit", () => atWork.delete(this));
  }

  static async start(assignment: Assignment): Promise<SideClient> {
    const child = fork(PROGRAM, [JSON.stringify(assignment)], {
      execArgv: NODE_OPTIONS,
      // The output of a side is not part of the report.
      stdio: ["ignore", 2, 2, "ipc"],
    });
    const client = new SideClient(child);
    client.name = (await answerOf<Ready>(child)).name;
    return client;
  }

  async round(): Promise<number> {
    return (await this.#ask<Done>("round")).milliseconds;
  }

  /** Resolves once the process has ended. */
  async end(): Promise<Ending> {
    const gone = once(this.#child, "exit");
    const ending = await this.#ask<Ending>("end");
    await gone;
    return ending;
  }

  /** Ends the process, if it still runs, even during a round. */
  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const gone = once(this.#child, "exit");
    this.#child.kill();
    await gone;
  }

  #ask<Expected extends Answer>(question: Question): Promise<Expected> {
    this.#child.send(question);
    return answerOf<Expected>(this.#child);
  }
}

function answerOf<Expected extends Answer>(child: ChildProcess): Promise<Expected> {
  return new Promise((resolve, reject) => {
    const onMessage = (answer: unknown): void => {
      child.off("exit", onExit);
      resolve(answer as Expected);
    };
    const onExit = (code: number | null, signal: string | null): void => {
      child.off("message", onMessage);
      reject(new Error(`A side ended with ${code ?? signal} before its work was done.`));
    };
    child.once("message", onMessage);
    child.once("exit", onExit);
  });
}
