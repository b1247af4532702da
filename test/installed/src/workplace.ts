import { spawnSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** How a program ended, and what it said. */
export interface Ended {
  status: number | null;
  stdout: string;
  stderr: string;
}

/** A temporary folder outside of the repository, in which programs are run. */
export abstract class Workplace {
  readonly path: string;

  constructor(name: string) {
    this.path = realpathSync(mkdtempSync(join(tmpdir(), `perdura-${name}-`)));
  }

  /** What programs find in their environment. */
  protected abstract environment(): NodeJS.ProcessEnv;

  /** Runs a program there to its end. */
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

  /** @throws Error with all that it said, when it fails. @returns What it printed. */
  fine(program: string, ...words: readonly string[]): string {
    const { status, stdout, stderr } = this.run(program, ...words);
    if (status !== 0) throw new Error(`${program} ${words.join(" ")} ended with ${status}:\n${stdout}${stderr}`);
    return stdout;
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true, maxRetries: 5 });
  }
}
