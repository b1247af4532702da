import { type ChildProcess, spawn } from "node:child_process";
import { programWords } from "../../../../test/programs.ts";

/** Receives a program's lines: `word rest`. */
export type Hear = (word: string, rest: string) => void;

/** Outcome of a program of the crowd. */
export interface MemberEnd {
  code: number | null;
  signal: string | null;
  stderr: string;
}

/** A program of the folder `programs`, in its own process. It runs until its standard input ends. */
export class Member {
  readonly name: string;
  /** Resolves when the process has ended and all its output was read. */
  readonly ended: Promise<MemberEnd>;
  readonly #child: ChildProcess;
  #killed = false;
  #text = "";

  /** @param hear Called for each complete line; a line that a kill cut off does not count. */
  constructor(program: string, words: readonly string[], hear: Hear, name: string = program) {
    this.name = name;
    this.#child = startProgram(program, words);
    let stderr = "";
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    this.#child.stdout?.setEncoding("utf8").on("data", (text: string) => this.#read(text, hear));
    // A process that has ended reads nothing.
    this.#child.stdin?.on("error", () => undefined);
    this.ended = new Promise((resolve) =>
      this.#child.on("close", (code, signal) => resolve({ code, signal, stderr: stderr.slice(0, 2000) })),
    );
  }

  /** True once {@link kill} was called. */
  get killed(): boolean {
    return this.#killed;
  }

  /** Kills it, as a crash would. */
  kill(): void {
    this.#killed = true;
    this.#child.kill("SIGKILL");
  }

  /**
   * Asks it to end, and waits.
   *
   * @param longestMs After this time it counts as hanging and is killed.
   * @returns Faults in the way it ended.
   */
  async end(longestMs: number): Promise<string[]> {
    this.#child.stdin?.end();
    let hangs = false;
    const timer = setTimeout(() => {
      hangs = true;
      this.#child.kill("SIGKILL");
    }, longestMs);
    const { code, signal, stderr } = await this.ended;
    clearTimeout(timer);
    if (hangs) return [`${this.name} did not end within ${longestMs / 1000} s`];
    if (this.#killed || code === 0) return [];
    return [`${this.name} ended with ${code ?? signal}: ${stderr}`];
  }

  #read(text: string, hear: Hear): void {
    const lines = (this.#text + text).split("\n");
    this.#text = lines.pop() ?? "";
    for (const line of lines) {
      const at = line.indexOf(" ");
      if (at === -1) hear(line, "");
      else hear(line.slice(0, at), line.slice(at + 1));
    }
  }
}

function startProgram(program: string, words: readonly string[]): ChildProcess {
  const started = programWords(new URL(`programs/${program}`, import.meta.url));
  return spawn(process.execPath, [...started, ...words], { stdio: ["pipe", "pipe", "pipe"] });
}
