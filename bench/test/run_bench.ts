import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const COMMAND = fileURLToPath(new URL("../src/cli.ts", import.meta.url));

/** Runs the command as `pnpm bench` does. */
export function bench(words: readonly string[], environment: NodeJS.ProcessEnv = process.env) {
  return spawnSync(process.execPath, ["--conditions=@perdura/source", "--no-warnings", COMMAND, ...words], {
    encoding: "utf8",
    env: environment,
  });
}
