import type { Side } from "../measure/measure.ts";
import { LineProcess } from "./line_process.ts";

const DONE = "-- done --";

/** The shell of SQLite on one connection, which stays open. */
export class SqliteShell {
  readonly #shell: LineProcess;

  constructor(path: string) {
    this.#shell = new LineProcess("sqlite3", ["-batch", "-bail", "-init", "/dev/null", path]);
  }

  /** Runs statements and commands of the shell; resolves with their output. */
  async run(text: string): Promise<string[]> {
    this.#shell.tell(`${text}\n.print ${DONE}`);
    const printed: string[] = [];
    for (let line = await this.#shell.answer(); line !== DONE; line = await this.#shell.answer()) printed.push(line);
    return printed;
  }

  side(round: () => Promise<number>): Side {
    return { name: "sqlite3", round, memory: () => this.#shell.peakMemory(), close: () => this.#shell.close() };
  }
}
