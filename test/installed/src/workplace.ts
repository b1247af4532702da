import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { temporaryFolder } from "../../temporary_folder.ts";

/** Outcome of a program, with its output. */
export interface Ended {
  status: number | null;
  stdout: string;
  stderr: string;
}

/** A temporary folder outside of the repository, in which programs run. */
export abstract class Workplace {
  readonly path: string = temporaryFolder();

  /** Environment of the programs. */
  protected abstract environment(): NodeJS.ProcessEnv;

  /** Runs a program in the folder to its end. */
  run(program: string, ...words: readonly string[]): Ended {
    const { status, stdout, stderr, error } = spawnSync(program, words, {
      cwd: this.path,
      encoding: "utf8",
      env: this.environment(),
      shell: process.platform === "win32",
    });
    if (error !== undefined) throw error;
    return { status, stdout, stderr };
  }

  /** @throws Error with all its output if it fails. @returns Its output. */
  fine(program: string, ...words: readonly string[]): string {
    const { status, stdout, stderr } = this.run(program, ...words);
    if (status !== 0) throw new Error(`${program} ${words.join(" ")} ended with ${status}:\n${stdout}${stderr}`);
    return stdout;
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true, maxRetries: 5 });
  }
}
