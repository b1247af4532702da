// Everything that `npm test` proves, in order of cost. The last line is the tests' tally: `N passed, N failed`.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../", import.meta.url));

const STEPS = [
  ["format", "pnpm", ["format:check"]],
  ["lint", "pnpm", ["lint"]],
  ["compiled schemas", "pnpm", ["generate", "--check"]],
  ["lines", "pnpm", ["check:lines"]],
  ["code of others", "pnpm", ["check:third-party"]],
  ["types", "pnpm", ["types"]],
  ["unused code", "pnpm", ["unused"]],
  ["build", "pnpm", ["build"]],
  ["packages", "pnpm", ["check:packages"]],
  ["tests", "pnpm", ["test:unit"]],
];

for (const [name, command, words] of STEPS) {
  const start = performance.now();
  console.log(`\n== ${name}`);
  const { status } = spawnSync(command, ["--silent", ...words, ...(name === "tests" ? process.argv.slice(2) : [])], {
    cwd: root,
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  if (status !== 0) {
    console.error(`\n${name}: failed. Repeat it alone: ${command} ${words.join(" ")}`);
    process.exit(status ?? 1);
  }
  if (name !== "tests") console.log(`   ${name}: fine (${((performance.now() - start) / 1000).toFixed(1)} s)`);
}
