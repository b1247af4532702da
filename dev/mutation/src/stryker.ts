import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ADAPTER_TIME_ZONE } from "../../../packages/conformance/src/matching/timestamp.ts";
import type { Suite } from "./sources.ts";
import type { ThrowawayCopy } from "./throwaway_copy.ts";

/** The variable that names the mutated folder to the configuration of vitest. */
export const FOLDER = "PERDURA_MUTATED_FOLDER";

const NODE_ARGS = ["--conditions=@perdura/source", "--no-warnings"];

/** Options for Stryker; paths start at the root of the copy. */
function optionsFor(suite: Suite, files: readonly string[], incrementalFile: string): object {
  return {
    mutate: files,
    inPlace: true,
    incremental: true,
    incrementalFile,
    testRunner: suite === "conformance" ? "conformance" : "vitest",
    plugins: [
      suite === "conformance"
        ? "./dev/mutation/src/conformance_runner.ts"
        : "./dev/mutation/node_modules/@stryker-mutator/vitest-runner/dist/src/index.js",
    ],
    vitest: { configFile: "dev/mutation/src/whole/vitest.config.ts", related: false, pool: "forks" },
    coverageAnalysis: "perTest",
    reporters: ["progress-append-only"],
    // Stryker would rewrite the paths of tsconfig files, and does not know TypeScript 7.
    tsconfigFile: "none.json",
    disableTypeChecks: false,
    testRunnerNodeArgs: NODE_ARGS,
    // A hang ends earlier, by the count of how often a mutant runs. On a busy machine a short limit finds what no test does.
    timeoutMS: 30_000,
    dryRunTimeoutMinutes: 60,
    warnings: { slow: false },
    allowConsoleColors: false,
  };
}

/**
 * Runs Stryker in a copy of the repository on the files of a folder.
 *
 * @param report Stryker's incremental report: results in it are used again while neither code nor tests changed.
 * @param signal Ends the run; Stryker adds to the report what it has until then.
 * @throws {Error} when Stryker fails, and the signal's reason when it was ended.
 */
export async function runStryker(
  { root, temporary }: ThrowawayCopy,
  suite: Suite,
  folder: string,
  files: readonly string[],
  report: string,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  writeFileSync(join(root, "stryker.json"), JSON.stringify(optionsFor(suite, files, report)));
  const program = join(root, "dev", "mutation", "node_modules", "@stryker-mutator", "core", "bin", "stryker.js");
  // A process group of its own: programs that a killed test left behind end with it.
  const child = spawn(process.execPath, [...NODE_ARGS, program, "run", "stryker.json"], {
    cwd: root,
    env: {
      ...process.env,
      [FOLDER]: folder,
      TMPDIR: temporary,
      TEMP: temporary,
      ...(suite === "conformance" && { TZ: ADAPTER_TIME_ZONE }),
    },
    stdio: ["ignore", "inherit", "inherit"],
    detached: process.platform !== "win32",
  });
  const interrupt = (): void => void child.kill("SIGINT");
  signal.addEventListener("abort", interrupt);
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once("error", reject);
      child.once("exit", resolve);
    });
    signal.throwIfAborted();
    if (code !== 0) throw new Error(`Stryker ended with exit code ${code}; its messages are above`);
  } finally {
    signal.removeEventListener("abort", interrupt);
    if (child.pid !== undefined && process.platform !== "win32") endGroup(child.pid);
  }
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    // The group is empty.
    if ((error as { code?: string }).code !== "ESRCH") throw error;
  }
}
