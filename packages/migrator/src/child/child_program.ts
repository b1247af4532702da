import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Reply } from "./answer_requests.ts";

/** What a child process tells the one who asked it. */
export interface Asker {
  answered(reply: Reply): void;
  /** The process is gone, or could not be started. */
  ended(error: Error): void;
}

/** How long a process without work stays, in milliseconds. */
const IDLE_MS = 10_000;

/** Processes without work, by program. A run needs less time than the start of a process, and the next run often follows. */
const idle: Map<string, Set<ChildProgram>> = new Map();

/** A child process that runs one of our programs. It ends with this process, and does not keep it alive while idle. */
export class ChildProgram {
  readonly #program: string;
  readonly #process: ChildProcess;
  #asker: Asker | undefined;
  #timer: NodeJS.Timeout | undefined;

  private constructor(program: string) {
    this.#program = program;
    // From the sources it is a .ts file, in the published package a .js file.
    const ending = import.meta.url.endsWith(".ts") ? ".ts" : ".js";
    this.#process = fork(fileURLToPath(`${program}${ending}`), [], {
      serialization: "advanced",
      execArgv: ending === ".ts" ? ["--conditions=@perdura/source"] : [],
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    this.#process.on("message", (reply: Reply) => this.#asker?.answered(reply));
    this.#process.on("error", (error) => this.#ended(error));
    this.#process.on("exit", (code, signal) =>
      this.#ended(new Error(`The file process ended (${signal ?? `exit ${code}`}).`)),
    );
  }

  /**
   * Takes a process without work, or starts one.
   *
   * @param program The URL of the file with the program, without its ending.
   */
  static take({ href: program }: URL, asker: Asker): ChildProgram {
    const [found = new ChildProgram(program)] = idle.get(program) ?? [];
    idle.get(program)?.delete(found);
    clearTimeout(found.#timer);
    found.#process.ref();
    found.#process.channel?.ref();
    found.#asker = asker;
    return found;
  }

  send(message: object): void {
    this.#process.send(message);
  }

  /** Keeps the process for the next run; only where it has answered everything. */
  release(): void {
    this.#asker = undefined;
    this.#process.unref();
    this.#process.channel?.unref();
    idle.set(this.#program, (idle.get(this.#program) ?? new Set()).add(this));
    this.#timer = setTimeout(() => this.kill(), IDLE_MS).unref();
  }

  /** Ends the process, whatever it does. */
  kill(): void {
    this.#asker = undefined;
    idle.get(this.#program)?.delete(this);
    this.#process.kill("SIGKILL");
  }

  #ended(error: Error): void {
    idle.get(this.#program)?.delete(this);
    const asker = this.#asker;
    // An error and the end that follows it are one end.
    this.#asker = undefined;
    asker?.ended(error);
  }
}
