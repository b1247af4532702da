import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Answer, Task } from "./worker.ts";
import { PATIENCE_MS } from "../../../../test/patience.ts";
import { programWords } from "../../../../test/programs.ts";

/** A worker is replaced after this number of tasks, so that its peak of memory concerns only a few of them. */
const TASKS = 150;

/** Bytes that a worker may need: it holds both lines, the migrator and the suite, and values of up to 512 MiB twice. */
export const MEMORY: number = 1600 << 20;

/** A process that runs tasks one at a time; a crash or a timeout is attributed to the current task. */
export class Worker {
  #child: ChildProcess | undefined;
  #tasks = 0;
  readonly #temporary: string;

  constructor(place: string) {
    this.#temporary = join(place, "tmp");
    mkdirSync(this.#temporary, { recursive: true });
  }

  /** Never rejects: a crash or a timeout is an answer, too. */
  async run(task: Task): Promise<Answer> {
    if (this.#tasks >= TASKS) this.end();
    this.#tasks += 1;
    const child = (this.#child ??= this.#start());
    const output: Buffer[] = [];
    const note = (data: Buffer): void => void output.push(data);
    child.stderr?.on("data", note);
    try {
      return await answerOf(child, task, output);
    } finally {
      child.stderr?.off("data", note);
    }
  }

  end(): void {
    this.#child?.kill("SIGKILL");
    this.#child = undefined;
    this.#tasks = 0;
  }

  #start(): ChildProcess {
    const words = ["--max-old-space-size=512", ...programWords(new URL("worker.ts", import.meta.url))];
    const child = spawn(process.execPath, words, {
      env: { ...process.env, TMPDIR: this.#temporary },
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    // The process may also end between two tasks; then the next task gets a new one.
    child.once("exit", () => {
      if (this.#child === child) this.#child = undefined;
    });
    return child;
  }
}

function answerOf(child: ChildProcess, task: Task, output: Buffer[]): Promise<Answer> {
  return new Promise((resolve) => {
    const fail = (text: string): void => end({ answered: false, wrong: [text], peak: 0 });
    const timer = setTimeout(() => {
      child.once("exit", () => fail(`the process did not end within ${PATIENCE_MS / 1000} s`));
      child.off("exit", onExit).kill("SIGKILL");
    }, PATIENCE_MS);
    const onExit = (code: number | null, signal: string | null): void =>
      fail(`the process ended with ${signal ?? code}: ${Buffer.concat(output).toString("utf8").slice(0, 1500)}`);
    const end = (answer: Answer): void => {
      clearTimeout(timer);
      child.off("exit", onExit).off("message", end);
      resolve(answer);
    };
    child.once("exit", onExit).once("message", end);
    child.send(task, (error) => {
      if (error !== null) fail(`sending the task to its process failed: ${error.message}`);
    });
  });
}
