import { spawn } from "node:child_process";
import { PATIENCE_MS } from "../../../../test/patience.ts";

/** Outcome of a process. */
export interface Ended {
  /** null if it was killed. */
  code: number | null;
  stdout: string;
  stderr: string;
}

/**
 * Runs a command in its own process group, and waits until it has ended.
 *
 * @param deadWhen Called repeatedly; once it returns true, all processes of the group are killed.
 */
export function run(command: readonly string[], env: NodeJS.ProcessEnv, deadWhen?: () => boolean): Promise<Ended> {
  const [program = "", ...words] = command;
  const child = spawn(program, words, { env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  const ended = { code: null as number | null, stdout: "", stderr: "" };
  child.stdout.on("data", (data: Buffer) => (ended.stdout += data.toString()));
  child.stderr.on("data", (data: Buffer) => (ended.stderr += data.toString()));
  const kill = (): void => void (child.exitCode ?? child.signalCode ?? process.kill(-(child.pid as number), "SIGKILL"));
  const longest = setTimeout(kill, PATIENCE_MS);
  const watch = deadWhen && setInterval(() => void (deadWhen() && kill()), 5);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => {
      clearTimeout(longest);
      clearInterval(watch);
      resolve({ ...ended, code });
    });
  });
}
