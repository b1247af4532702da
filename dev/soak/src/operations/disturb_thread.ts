import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Ended } from "../system_calls/run_command.ts";
import { type Call, spoiling } from "../system_calls/strace.ts";
import { PATIENCE_MS } from "../../../../test/patience.ts";

/**
 * Runs `perform.ts` with a fault in one call of the thread for asynchronous calls. With `strace -f`, the ordinal would
 * apply to each thread, so the program waits until strace is attached to that thread.
 */
export async function runWithSpoiledThread(
  command: readonly string[],
  env: NodeJS.ProcessEnv,
  log: string,
  call: Pick<Call, "name" | "ordinal">,
  fault: string,
): Promise<Ended> {
  const [program = "", ...words] = command;
  const child = spawn(program, words, { env: { ...env, PERDURA_SOAK_WAIT: "1" }, stdio: ["pipe", "pipe", "pipe"] });
  const ended: Ended = { code: null, stdout: "", stderr: "" };
  child.stdout.on("data", (data: Buffer) => (ended.stdout += data.toString()));
  child.stderr.on("data", (data: Buffer) => (ended.stderr += data.toString()));
  const closed = once(child, "close");
  const longest = setTimeout(() => child.kill("SIGKILL"), PATIENCE_MS);
  await once(child.stdout, "data");
  const thread = /^thread (\d+)\n/.exec(ended.stdout)?.[1] ?? "";
  const [tracer = "", ...options] = spoiling(log, call, fault);
  const strace = spawn(tracer, [...options, "-p", thread], { stdio: ["ignore", "ignore", "pipe"] });
  const left = once(strace, "close");
  await attached(strace);
  child.stdin.end("\n");
  const [code] = (await closed) as [number | null];
  clearTimeout(longest);
  await left;
  return { ...ended, code };
}

/** Waits until strace reports that it is attached. */
async function attached(strace: ChildProcess): Promise<void> {
  let said = "";
  for await (const data of strace.stderr as AsyncIterable<Buffer>) {
    said += data.toString();
    if (said.includes("attached")) return;
  }
  throw new Error(`strace did not attach: ${said}`);
}
