import { type ChildProcess, spawn, spawnSync } from "node:child_process";

/** What a program printed, and how it ended. */
export interface Seen {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** The command that starts perdura-backup, which the tests' set-up built. */
export function commandLine(...words: string[]): [program: string, ...words: string[]] {
  const program = process.env["PERDURA_BACKUP"];
  if (program === undefined) throw new Error("perdura-backup is not built: run these tests from the repository's root");
  return [process.execPath, program, ...words];
}

/** Runs perdura-backup in a process of its own, without a terminal. */
export function runProgram(...words: string[]): Seen {
  const [program, ...rest] = commandLine(...words);
  const { status, stdout, stderr } = spawnSync(program, rest, {
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1" },
    // A program that waits for ever fails its test, and does not hold up the others.
    timeout: 60_000,
    // One that waits inside of SQLite hears no other.
    killSignal: "SIGKILL",
  });
  return { code: status, stdout, stderr };
}

/** Starts perdura-backup; its output goes through pipes. */
export function startProgram(...words: string[]): ChildProcess {
  const [program, ...rest] = commandLine(...words);
  return spawn(program, rest, { stdio: ["ignore", "pipe", "pipe"] });
}

/** Waits until a process has ended; returns its exit code or the signal that ended it. */
export function endOf(child: ChildProcess): Promise<number | string | null> {
  return new Promise((resolve) => child.on("close", (code, signal) => resolve(signal ?? code)));
}
