import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, lstatSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { postgresPrograms } from "../src/postgres/copied_binaries.ts";
import { installedBinaries } from "../src/postgres/installed_binaries.ts";
import { plainUser } from "../src/processes/plain_user.ts";
import { openDirectory } from "./place_of_copy.ts";
import { needs } from "../../needs.ts";

const NONE = installedBinaries() === undefined;
const MODULE = new URL("../src/postgres/copied_binaries.ts", import.meta.url).href;

afterEach(() => void vi.unstubAllEnvs());

describe("the copy of PostgreSQL", needs("postgres", NONE), () => {
  test("is created once by concurrent processes", async () => {
    const directory = place();
    const program = `import { postgresPrograms } from ${JSON.stringify(MODULE)}; postgresPrograms();`;
    const makers = [1, 2, 3].map(() =>
      spawn(process.execPath, ["--no-warnings", "--input-type=module", "-e", program], { stdio: "inherit" }),
    );
    for (const [status] of await Promise.all(makers.map((maker) => once(maker, "exit")))) expect(status).toBe(0);
    const [name, ...others] = readdirSync(directory);
    expect(others).toEqual([]);
    const before = lstatSync(join(directory, name as string));
    expect(dirname(postgresPrograms())).toBe(join(directory, name as string));
    expect(lstatSync(join(directory, name as string)).ino).toBe(before.ino);
    expect(works(postgresPrograms())).toBe(true);
  });

  test("is created again if a file or a symbolic link of it is missing", () => {
    place();
    const copy = dirname(postgresPrograms());
    const libraries = readdirSync(join(copy, "lib"), { withFileTypes: true });
    const links = libraries.filter((entry) => entry.isSymbolicLink()).map(({ name }) => `lib/${name}`);
    expect(links.length > 0).toBe(process.platform !== "win32");
    for (const missing of ["share", "bin/postgres", ...links.slice(0, 1)]) {
      rmSync(join(copy, missing), { recursive: true });
      expect(dirname(postgresPrograms())).toBe(copy);
      expect(existsSync(join(copy, missing))).toBe(true);
      expect(works(join(copy, "bin"))).toBe(true);
    }
  });

  test("is refused if it belongs to another user", needs("root", plainUser() === undefined), () => {
    place();
    const copy = dirname(postgresPrograms());
    rmSync(copy, { recursive: true });
    mkdirSync(copy);
    chownSync(copy, 65_534, 65_534);
    expect(() => postgresPrograms()).toThrow(`${copy}: owned by the user 65534, expected our copy`);
  });
});

/** Directory of the copies in this test. */
function place(): string {
  const directory = openDirectory();
  vi.stubEnv("TMPDIR", directory);
  return directory;
}

/** True if the program starts, with all its libraries. */
function works(programs: string): boolean {
  return execFileSync(join(programs, "postgres"), ["--version"], { encoding: "utf8" }).startsWith(
    "postgres (PostgreSQL)",
  );
}
