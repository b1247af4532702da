import { spawn } from "node:child_process";
import { PATIENCE_MS } from "../../../../test/patience.ts";

/** Outcome of a command, with its output. */
export interface Ended {
  /** null if it had to be killed because it did not end. */
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs a built program of ours, such as perdura-migrate, without a terminal. */
export function runProgram(program: string, ...words: string[]): Promise<Ended> {
  const child = spawn(process.execPath, [program, ...words], { stdio: ["ignore", "pipe", "pipe"] });
  const timer = setTimeout(() => child.kill("SIGKILL"), PATIENCE_MS);
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  return new Promise((resolve) =>
    child.on("close", (code) => {
      clearTimeout(timer);
      resolve({ code, stdout, stderr });
    }),
  );
}

/** A command with its outcome, for a fault. */
export function endText(words: readonly string[], { code, stdout, stderr }: Ended): string {
  // Of a report, only the texts about faults; progress is of no use here.
  const reported = [...stdout.matchAll(/"(?:summary|reason|problem|sample|expected|found)": (".*")/g)].map(
    ([, text]) => text,
  );
  reported.push(...[...stdout.matchAll(/"differences": \[[^\]]+\]/g)].map(([text]) => text.replaceAll(/\s+/g, " ")));
  const errors = stderr.split("\n").filter((line) => !line.startsWith("{"));
  const said = [...(reported.length > 0 ? reported : [stdout.slice(0, 300)]), ...errors].join(" ").slice(0, 1500);
  return `${words.slice(0, 2).join(" ")} ended with ${code ?? "no code, after it was killed because it hung"}: ${said}`;
}
