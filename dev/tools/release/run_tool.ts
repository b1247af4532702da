import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";

/** Output and exit code of a program. */
export interface Ran {
  status: number | null;
  stdout: string;
  stderr: string;
}

/** Runs a program of the repository or of the machine to its end; captures its output. */
export async function runTool(command: string, words: readonly string[], cwd: string): Promise<Ran> {
  const child = spawn(command, words, {
    cwd,
    stdio: ["ignore", "pipe", "pipe"],
    shell: process.platform === "win32",
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  const [stdout, stderr, status] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { status, stdout, stderr };
}

/** The same for a program that is expected to succeed. */
export async function runFine(command: string, words: readonly string[], cwd: string): Promise<string> {
  const ran = await runTool(command, words, cwd);
  if (ran.status !== 0) throw new Error(`${command} ${words.join(" ")}:\n${ran.stdout}${ran.stderr}`);
  return ran.stdout;
}
