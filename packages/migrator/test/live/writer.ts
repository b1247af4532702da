import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { onTestFinished } from "vitest";
import { fixture } from "../../../../fixtures/paths.ts";
import { connect } from "../../../../test/legacy/legacy_database.ts";
import { PATIENCE_MS } from "../../../../test/patience.ts";
import { endOf, startProgram } from "../support/program.ts";

/** True if there is a Python for the field programs. */
export const HAS_PYTHON: boolean = spawnSync("python3", ["--version"]).status === 0;

/** A program that records row after row, and reports each success or failure. */
export class Writer {
  /** The numbers of the rows that were acknowledged. */
  readonly recorded: number[] = [];
  /** Text of its failure; null until then. */
  failure: string | null = null;
  readonly #child: ChildProcess;
  readonly #end: Promise<number | string | null>;
  #text = "";
  #waiting: (() => void)[] = [];

  constructor(child: ChildProcess) {
    this.#child = child;
    // A failed test would leave its programs running.
    onTestFinished(() => void child.kill("SIGKILL"));
    this.#end = endOf(child);
    child.stdout?.on("data", (data: Buffer) => this.#read(data.toString()));
    void this.#end.then(() => this.#wake());
  }

  /** Waits until that many more rows are recorded, or the program failed. */
  async more(rows: number): Promise<void> {
    const wanted = this.recorded.length + rows;
    while (this.recorded.length < wanted && this.failure === null && this.#child.exitCode === null)
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Ends it; returns its exit code. */
  async end(): Promise<number | string | null> {
    this.#child.stdin?.end();
    return await this.#end;
  }

  #read(text: string): void {
    const lines = (this.#text + text).split("\n");
    this.#text = lines.pop() ?? "";
    for (const line of lines) {
      if (line.startsWith("failed ")) this.failure = line.slice("failed ".length);
      else this.recorded.push(Number(line.split(" ")[0]));
    }
    this.#wake();
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

/**
 * Blocks this process until another one has added a row, and returns the highest id then: a command that calls back here
 * does not hold the database, and the other process was at work, however busy the machine is.
 */
export function untilAnotherRow(path: string, table = "interactions"): number {
  const database = connect(path, { readonly: true });
  try {
    const highest = database.prepare(`SELECT max(id) FROM ${table}`).pluck();
    const [before, end] = [highest.get(), performance.now() + PATIENCE_MS];
    while (highest.get() === before) if (performance.now() > end) throw new Error("no process added a row");
    return highest.get() as number;
  } finally {
    database.close();
  }
}

/** A Python field program: `a` up to 14.x, `b` of 15.0.0 or later. */
export function startPython(layout: "a" | "b", path: string, name: string): Writer {
  return runPython("field_metrics.py", layout, path, "record", name);
}

/** A Python field program that saves states. */
export function startPythonStates(directory: string, name: string): Writer {
  return runPython("field_states.py", directory, name);
}

function runPython(program: string, ...words: string[]): Writer {
  return new Writer(spawn("python3", [fixture("programs", program), ...words], { stdio: ["pipe", "pipe", "inherit"] }));
}

/** A program of the folder `programs`. */
export function startNode(
  program: "record_field_a" | "record_15" | "record_16" | "save_states",
  path: string,
  name: string,
): Writer {
  return new Writer(startProgram(`${program}.ts`, path, name));
}
