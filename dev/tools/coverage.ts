/**
 * Runs the tests of the packages and measures the part of the sources that they execute in their own processes; what
 * runs in child processes does not count. Writes the badge of the README, `docs/badges/coverage.svg`; `coverage/` has
 * the report for people. The arguments go to vitest.
 */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { drawBadge } from "../../packages/conformance/src/report/draw_badge.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Projects that run the code of the packages in the process of the test. */
const PROJECTS = [
  "cli",
  "internals",
  "summary",
  "lines",
  "conformance",
  "selftest",
  "migrator",
  "postgres",
  "backup",
  "inspect",
  "mcp",
  "otel",
];

const { status } = spawnSync(
  "pnpm",
  [
    "exec",
    "vitest",
    "run",
    ...PROJECTS.flatMap((name) => ["--project", name]),
    "--coverage.enabled",
    "--coverage.provider=v8",
    "--coverage.include=packages/*/src/**",
    "--coverage.exclude=packages/internals/src/generated/**",
    "--coverage.reportOnFailure",
    "--coverage.reporter=json-summary",
    "--coverage.reporter=html",
    "--coverage.reporter=text-summary",
    ...process.argv.slice(2),
  ],
  { cwd: root, stdio: "inherit", shell: process.platform === "win32" },
);
if (status !== 0) process.exit(status ?? 1);

const summary = readFileSync(join(root, "coverage", "coverage-summary.json"), "utf8");
const { total } = JSON.parse(summary) as { total: { statements: { pct: number } } };
const percent = Math.floor(total.statements.pct);
writeFileSync(
  join(root, "docs", "badges", "coverage.svg"),
  drawBadge("coverage", `${percent} % of statements`, "#2c7a3f"),
);
