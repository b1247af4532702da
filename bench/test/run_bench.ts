import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

export const COMMAND: string = fileURLToPath(new URL("../src/cli.ts", import.meta.url));

export const NODE_OPTIONS: readonly string[] = ["--conditions=@perdura/source", "--no-warnings"];

/** Runs the command as `pnpm bench` does. */
export function bench(words: readonly string[], environment: NodeJS.ProcessEnv = process.env) {
  return spawnSync(process.execPath, [...NODE_OPTIONS, COMMAND, ...words], {
    encoding: "utf8",
    env: environment,
  });
}
