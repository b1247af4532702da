import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { Suite } from "../results/file_result.ts";
import { environmentOf, type RunSettings } from "./run_settings.ts";
import { strykerOptions } from "./stryker_options.ts";
import { throwawayCopy } from "./throwaway_copy.ts";

const ORIGINALS = ".mutation-originals";

/**
 * Tries every mutant of some files and records what became of them.
 * @throws {Error} when Stryker fails, naming where to look, and an AbortError on SIGINT or SIGTERM; results that were
 *   recorded before stay.
 */
export async function runFiles(
  repository: string,
  suite: Suite,
  files: readonly string[],
  how: Pick<RunSettings, "every" | "left" | "seconds" | "tests">,
): Promise<void> {
  // With a listener the signal waits until the copy is made, and then nothing of it is left behind.
  const interruption = new AbortController();
  const interrupted = (): void => interruption.abort();
  process.once("SIGINT", interrupted).once("SIGTERM", interrupted);
  const copy = throwawayCopy(repository);
  try {
    await setImmediate();
    interruption.signal.throwIfAborted();
    const originals = join(copy.root, ORIGINALS);
    for (const file of files) cpSync(join(copy.root, file), join(originals, file));
    writeFileSync(join(copy.root, "stryker.json"), JSON.stringify(strykerOptions(suite, files)));
    const { coverage, temporary, root } = copy;
    const durations = join(root, ".mutation-durations.json");
    const settings = environmentOf({ suite, files, repository, originals, coverage, durations, ...how });
    // What killed programs leave in the folder of temporary files goes with the copy.
    await stryker(root, { ...settings, TMPDIR: temporary, TEMP: temporary }, interruption.signal);
  } finally {
    copy.remove();
    process.off("SIGINT", interrupted).off("SIGTERM", interrupted);
  }
}

async function stryker(copy: string, variables: Record<string, string>, signal: AbortSignal): Promise<void> {
  const program = join(copy, "dev", "mutation", "node_modules", "@stryker-mutator", "core", "bin", "stryker.js");
  const words = ["--conditions=@perdura/source", "--no-warnings", program, "run", "stryker.json"];
  // A process group of its own: programs that a killed test left behind end with it.
  const child = spawn(process.execPath, words, {
    cwd: copy,
    env: { ...process.env, ...variables },
    stdio: ["ignore", "inherit", "inherit"],
    detached: process.platform !== "win32",
  });
  const interrupted = (): void => endGroup(child);
  signal.addEventListener("abort", interrupted);
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once("error", reject);
      child.once("exit", resolve);
    });
    signal.throwIfAborted();
    if (code !== 0) throw new Error(`Stryker ended with exit code ${code}; what it said stands above`);
  } finally {
    endGroup(child);
  }
}

function endGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(process.platform === "win32" ? child.pid : -child.pid, "SIGKILL");
  } catch (error) {
    // Nobody of the group is left.
    if ((error as { code?: string }).code !== "ESRCH") throw error;
  }
}
