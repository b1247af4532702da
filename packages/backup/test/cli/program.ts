import { spawn } from "node:child_process";
import { once } from "node:events";

/** Path of perdura-backup, which the tests' set-up built, next to the other files of the package. */
export function builtProgram(): string {
  const program = process.env["PERDURA_BACKUP"];
  if (program === undefined) throw new Error("perdura-backup is not built: run these tests from the repository's root");
  return program;
}

/** The command that starts it. */
export function commandLine(...words: string[]): [program: string, ...words: string[]] {
  return [process.execPath, builtProgram(), ...words];
}

/**
 * Runs perdura-backup in its own process, into which a module of `programs` is loaded first.
 *
 * @param stop Instruction for that module.
 * @returns The exit code, or the signal that ended it.
 */
export async function endOfStopped(
  module: "stop_at_progress" | "kill_at_file",
  stop: string,
  words: readonly string[],
  temporary: string,
): Promise<number | string | null> {
  const [node, ...rest] = commandLine(...words);
  const preload = new URL(`../programs/${module}.ts`, import.meta.url).href;
  const child = spawn(node, ["--disable-warning=ExperimentalWarning", "--import", preload, ...rest], {
    env: { ...process.env, TMPDIR: temporary, PERDURA_TEST_STOP: stop },
    stdio: "ignore",
  });
  const [status, signal] = (await once(child, "close")) as [number | null, string | null];
  return signal ?? status;
}
