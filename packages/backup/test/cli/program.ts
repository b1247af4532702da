import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";

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
 * @returns The exit code, or the signal that ended it, and its output on stderr.
 */
export async function runStopped(
  module: "stop_at_progress" | "kill_at_file",
  stop: string,
  words: readonly string[],
  temporary: string,
): Promise<{ end: number | string | null; stderr: string }> {
  const [node, ...rest] = commandLine(...words);
  const preload = new URL(`../programs/${module}.ts`, import.meta.url).href;
  const child = spawn(node, ["--disable-warning=ExperimentalWarning", "--import", preload, ...rest], {
    env: { ...process.env, TMPDIR: temporary, PERDURA_TEST_STOP: stop },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const closed = once(child, "close") as Promise<[number | null, string | null]>;
  const [stderr, [status, signal]] = await Promise.all([text(child.stderr), closed]);
  return { end: signal ?? status, stderr };
}

/** The end of {@link runStopped}. */
export async function endOfStopped(...given: Parameters<typeof runStopped>): Promise<number | string | null> {
  return (await runStopped(...given)).end;
}
