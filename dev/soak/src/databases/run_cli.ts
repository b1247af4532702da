import { spawnSync } from "node:child_process";
import { programWords } from "../../../../test/programs.ts";
import { PATIENCE_MS } from "../../../../test/patience.ts";

/** A command of one of the packages, such as `["migrator", "plan", directory]`, from its sources. */
export function commandOf([name = "", ...words]: readonly string[]): [program: string, ...words: string[]] {
  return fromSource(new URL(`../../../../packages/${name}/src/cli.ts`, import.meta.url), words);
}

/** A program in TypeScript. */
export function fromSource(program: URL, words: readonly string[]): [program: string, ...words: string[]] {
  return [process.execPath, ...programWords(program), ...words];
}

/** How a program ended. */
export interface Ended {
  /** All that it printed. */
  said: string;
  code: number | null;
  /** What is wrong with how it ended. */
  wrong: string[];
}

/** Runs a command in a directory to its end. */
export function runToEnd([program, ...words]: readonly [program: string, ...words: string[]], cwd?: string): Ended {
  const { stdout, stderr, signal, status } = spawnSync(program, words, {
    cwd,
    encoding: "utf8",
    timeout: PATIENCE_MS,
    // Another signal the programs would answer, and end by themselves.
    killSignal: "SIGKILL",
  });
  const said = stdout + stderr;
  return { said, code: status, wrong: faultsOfEnding(said, signal ?? status) };
}

/** The exit codes that our programs have. */
const CODES: ReadonlySet<number | string> = new Set([0, 1, 2, 3]);

/** What is wrong with how a program ended: by a signal, with a code that none has, or with an error that nobody caught. */
export function faultsOfEnding(said: string, ending: number | string | null): string[] {
  const wrong = ending === null || !CODES.has(ending) ? [`it ended with ${ending}`] : [];
  const uncaught = /^Node\.js v\d.*$/m.exec(said);
  return uncaught === null ? wrong : [...wrong, `nobody caught an error: ${said.slice(-1500, uncaught.index)}`];
}
