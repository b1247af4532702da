import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type Ended, runMain } from "../../../test/run_main.ts";
import { main } from "../src/main.ts";

/** Runs the command in this process; its sides have their own processes. */
export function bench(words: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  return runMain(main, words, { env });
}

/** The words that start the command as `pnpm bench` does. */
export const COMMAND: readonly string[] = [
  "--conditions=@perdura/source",
  "--no-warnings",
  fileURLToPath(new URL("../src/cli.ts", import.meta.url)),
];

/** Runs the command in a separate process. */
export function benchProcess(words: readonly string[], env: Record<string, string>) {
  return spawnSync(process.execPath, [...COMMAND, ...words], { encoding: "utf8", env: { ...process.env, ...env } });
}
