import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { runFine } from "../../tools/release/run_tool.ts";
import type { Check } from "./check.ts";
import { forwardingLibrary } from "./missing_library.ts";
import { problemOf, type Wine } from "./wine.ts";

/** Files of `test/lines` that run under wine. */
const FILES = [
  "addresses",
  "changed_libraries",
  "fixtures",
  "foreign_rows",
  "json_files",
  "on_invalid",
  "sqlite_databases",
  "state_directory",
  "state_user_ids",
  "states_case_insensitive",
  "writer",
];

/** Parts of the names of their tests that do not run under wine, with the reason. */
const LEFT_OUT: Record<string, string> = {
  "keep its mode and a link to it": "wine creates no symbolic links",
  "are not lost by a save over the source": "wine creates no symbolic links",
  "a file that cannot be read causes an error": "wine creates no symbolic links",
  "a state file can be a symbolic link": "wine creates no symbolic links",
  "files that older programs named by the raw id": "no name has a tab on Windows",
  "named u:v@w": "wine accepts a colon in a name, Windows does not",
  "finds legacy files whose names differ only in case": "the drive ignores case",
  "a killed process acknowledged": "a program that starts from the sources needs the links of pnpm",
  "processes that save alice and Alice": "a program that starts from the sources needs the links of pnpm",
};

/** Tests that hold for both lines, with vitest on the sources, in a copy of the repository. */
export function testChecks(wine: Wine, root: string): Check[] {
  const folder = wine.folder("repository");
  const leftOut = Object.entries(LEFT_OUT).map(([name, reason]) => `${name}: ${reason}`);
  const files = FILES.map((name) => `test/lines/${name}.test.ts`);
  const names = Object.keys(LEFT_OUT).map((name) => name.replaceAll(/[^\w ]/g, "."));
  return [
    {
      name: `tests: ${FILES.length} files of test/lines, except for\n           ${leftOut.join("\n           ")}\n        `,
      run: async () => {
        await copyRepository(root, folder);
        provideMissingLibrary(wine);
        const words = ["node_modules/vitest/vitest.mjs", "run", "-c", "dev/windows/vitest.config.ts"];
        return problemOf(wine, [...words, ...files, "-t", `^(?!.*(?:${names.join("|")}))`], folder, {
          limitSeconds: 3600,
        });
      },
    },
  ];
}

/** Copies all files except ignored ones, and installs the dependencies with the binaries for Windows. */
async function copyRepository(root: string, folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  const words = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  for (const file of execFileSync("git", words, { cwd: root, encoding: "utf8" }).split("\0")) {
    if (file === "" || !existsSync(join(root, file))) continue;
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(root, file), join(folder, file));
  }
  // Wine does not resolve links, on which the usual layout of pnpm is based.
  const layout = ["--config.node-linker=hoisted", "--os=win32", "--cpu=x64"];
  await runFine("pnpm", ["install", "--frozen-lockfile", "--ignore-scripts", "--reporter=silent", ...layout], folder);
}

/** Rolldown, which vitest uses, needs a library that wine 8 does not have. */
function provideMissingLibrary(wine: Wine): void {
  const name = "bcryptprimitives.dll";
  const file = join(wine.system, name);
  if (!existsSync(file)) writeFileSync(file, forwardingLibrary(name, "ProcessPrng", "advapi32.SystemFunction036"));
}
