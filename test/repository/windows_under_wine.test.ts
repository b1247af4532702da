import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test, vi } from "vitest";
import { runChecks } from "../../dev/windows/src/run_checks.ts";
import { freshFolder } from "../fresh_folder.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

test.each([
  ["", 0],
  ["1", 1],
])("pnpm windows runs nothing without wine; with REQUIRE_WINE=%j the exit code is %i", (required, expected) => {
  const main = join(root, "dev", "windows", "src", "main.ts");
  const { status, stdout } = spawnSync(process.execPath, ["--conditions=@perdura/source", "--no-warnings", main], {
    env: { ...process.env, PATH: freshFolder(), REQUIRE_WINE: required },
    encoding: "utf8",
  });
  expect(stdout).toMatch(/^not run: no wine.*\n$/);
  expect(status).toBe(expected);
});

test("a failed check is printed with its output, and sets the exit code; other groups are listed as not run", async () => {
  const printed: string[] = [];
  vi.spyOn(console, "log").mockImplementation((text: string) => void printed.push(text));
  const checks = [
    { name: "library: holds", run: () => Promise.resolve(undefined) },
    { name: "library: does not hold", run: () => Promise.resolve("exit code 1\nEBUSY\n") },
    { name: "suite: is left out", run: () => Promise.reject(new Error("was run")) },
  ];
  try {
    expect(await runChecks(checks, ["library"])).toBe(1);
    expect(await runChecks(checks.slice(0, 1), [])).toBe(0);
  } finally {
    vi.restoreAllMocks();
  }
  expect(printed.map((text) => text.replace(/\(\d+\.\d s\)/, "(0.0 s)"))).toEqual([
    "     ok  library: holds (0.0 s)",
    " FAILED  library: does not hold (0.0 s)",
    "         exit code 1\n         EBUSY",
    "not run  suite: is left out",
    "\n1 passed, 1 failed, 1 not run",
    "     ok  library: holds (0.0 s)",
    "\n1 passed, 0 failed, 0 not run",
  ]);
});
