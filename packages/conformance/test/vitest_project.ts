import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { packageRoot } from "../src/package_root.ts";

/** Outcome of one test. */
export interface TestOutcome {
  title: string;
  status: string;
  failureMessages: string[];
}

/**
 * Runs vitest on the project of an implementer.
 *
 * @param folder Inside of this package, so that vitest and the suite are found as after an installation.
 * @param files Names and contents, including the test files.
 * @returns The exit code, and the tests by the name of their file.
 */
export function runVitestProject(
  folder: string,
  files: Record<string, string>,
): { code: number | null; tests: Record<string, TestOutcome[]> } {
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  // One worker for all files: the suite and its corpus are loaded once.
  const config = {
    resolve: { conditions: ["@perdura/source"] },
    ssr: { resolve: { conditions: ["@perdura/source", "node", "import", "default"] } },
    test: { isolate: false, fileParallelism: false },
  };
  writeFileSync(join(folder, "vitest.config.mjs"), `export default ${JSON.stringify(config)};\n`);
  const vitest = join(packageRoot(), "node_modules", "vitest", "vitest.mjs");
  const output = join(folder, "out.json");
  rmSync(output, { force: true });
  const env: NodeJS.ProcessEnv = { ...process.env, NO_COLOR: "1" };
  for (const name of Object.keys(env)) if (name.startsWith("VITEST") || name === "NODE_OPTIONS") delete env[name];
  const args = [vitest, "run", "--root", folder, "--reporter=json", `--outputFile=${output}`];
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: packageRoot(), env, encoding: "utf8" });
  if (!existsSync(output)) throw new Error(stderr);
  const { testResults } = JSON.parse(readFileSync(output, "utf8")) as {
    testResults: { name: string; assertionResults: TestOutcome[] }[];
  };
  const tests = testResults.map(({ name, assertionResults }) => [basename(name), assertionResults] as const);
  return { code: status, tests: Object.fromEntries(tests) };
}
