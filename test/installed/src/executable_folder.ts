import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { buildExecutable } from "../../../dev/executables/build_executable.ts";
import { EXECUTABLE_NAMES } from "../../../dev/executables/bundle_program.ts";
import { nodeBinary } from "../../../dev/executables/node_binary.ts";
import { Workplace } from "./workplace.ts";

/** A folder of an operator who has only the executables: no Node.js, and an empty search path. */
export class ExecutableFolder extends Workplace {
  /** The directory of temporary files of the executables. */
  readonly temporary: string;

  constructor() {
    super();
    this.temporary = join(this.path, "temporary");
    mkdirSync(this.temporary);
  }

  async build(): Promise<void> {
    const node = nodeBinary();
    for (const name of EXECUTABLE_NAMES) await buildExecutable(name, this.path, node);
  }

  /** Runs an executable until it prints this line to stderr, and kills it. @returns The signal that ended it. */
  async killAt(line: string, program: string, ...words: string[]): Promise<NodeJS.Signals | null> {
    const child = spawn(program, words, {
      cwd: this.path,
      env: this.environment(),
      stdio: ["ignore", "ignore", "pipe"],
    });
    createInterface(child.stderr).on("line", (text) => text.startsWith(line) && child.kill("SIGKILL"));
    const [, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
    return signal;
  }

  /** Runs an executable concurrently. @returns Its exit code. */
  async start(program: string, ...words: string[]): Promise<number | null> {
    const child = spawn(program, words, { cwd: this.path, env: this.environment(), stdio: "ignore" });
    const [status] = (await once(child, "close")) as [number | null];
    return status;
  }

  protected override environment(): NodeJS.ProcessEnv {
    return { PATH: "", TMPDIR: this.temporary };
  }
}
