import { fileURLToPath } from "node:url";
import { configDefaults, defineConfig, type TestProjectConfiguration } from "vitest/config";
import everything from "../../../../vitest.config.ts";
import { FOLDER } from "../stryker.ts";

// The projects of `npm test` whose tests are tried on mutants of a folder. Each file of tests has a process of its own:
// what a file keeps for the next one would hide from Stryker which tests reach it.

const LINES = ["internals", "lines"];
const PROJECTS: readonly [folder: string, projects: readonly string[]][] = [
  ["packages/migrator/", ["migrator"]],
  ["packages/cli/", ["cli"]],
  ["packages/v16/", [...LINES, "postgres"]],
  ["packages/internals/src/config", [...LINES, "postgres"]],
  ["packages/", LINES],
];

const NOT_TRIED = [
  // It kills programs and does nothing else.
  "test/lines/processes.test.ts",
  // It reads half a gigabyte byte by byte, which takes minutes where each step asks for the active mutant.
  "packages/internals/test/long_value.test.ts",
  // Some need the built packages. Of the lines, what opens a database on a server is tested by the one that is left.
  "packages/postgres/test/**/!(open_persistence).test.ts",
];

const folder = process.env[FOLDER] ?? "";
const [, names = []] = PROJECTS.find(([top]) => folder.startsWith(top)) ?? [];
const nameOf = (project: TestProjectConfiguration): unknown =>
  typeof project === "object" && "test" in project ? project.test?.name : undefined;

export default defineConfig({
  ...everything,
  root: fileURLToPath(new URL("../../../../", import.meta.url)),
  test: {
    ...everything.test,
    isolate: true,
    exclude: [...configDefaults.exclude, ...NOT_TRIED],
    setupFiles: [fileURLToPath(new URL("./setup.ts", import.meta.url))],
    reporters: [{}],
    projects: everything.test?.projects?.filter((project) => names.includes(String(nameOf(project)))) ?? [],
  },
});
