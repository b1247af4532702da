import { spawnSync } from "node:child_process";
import { programWords } from "../../../../test/programs.ts";
import { PATIENCE_MS } from "../../../../test/patience.ts";

/** Command of one of the packages, such as `["migrator", "plan", directory]`, run from its sources. */
export function commandOf([name = "", ...words]: readonly string[]): [program: string, ...words: string[]] {
  const program = new URL(`../../../../packages/${name}/src/cli.ts`, import.meta.url);
  return [process.execPath, ...programWords(program), ...words];
}

/** Outcome of a program. */
export interface Ended {
  /** Everything that it printed. */
  said: string;
  code: number | null;
  /** Faults in the way it ended. */
  wrong: string[];
}

/** Runs a command in a directory and waits for it to end. */
export function runToEnd([program, ...words]: readonly [program: string, ...words: string[]], cwd?: string): Ended {
  const { stdout, stderr, signal, status } = spawnSync(program, words, {
    cwd,
    encoding: "utf8",
    timeout: PATIENCE_MS,
    // The programs handle other signals and exit normally.
    killSignal: "SIGKILL",
  });
  const said = stdout + stderr;
  return { said, code: status, wrong: faultsOfEnding(said, signal ?? status) };
}

/** Exit codes of our programs. */
const CODES: ReadonlySet<number | string> = new Set([0, 1, 2, 3, 4]);

/** Faults in the way a program ended: a signal, an undocumented exit code, or an uncaught error. */
export function faultsOfEnding(said: string, ending: number | string | null): string[] {
  const wrong = ending === null || !CODES.has(ending) ? [`it ended with ${ending}`] : [];
  const uncaught = /^Node\.js v\d.*$/m.exec(said);
  return uncaught === null ? wrong : [...wrong, `uncaught error: ${said.slice(-1500, uncaught.index)}`];
}
