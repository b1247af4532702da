/** Files of tests, and what must run before them. */
interface Tests {
  include: string[];
  exclude?: string[];
  globalSetup: string[];
}

const LINES: Tests = {
  include: ["packages/internals/test/**/*.test.ts", "test/lines/**/*.test.ts"],
  // The first kills programs, which then cannot say what they reached, and takes as long as all others; the other looks at
  // each byte of half a gigabyte, for minutes when each step asks which mutant is on.
  exclude: ["test/lines/processes.test.ts", "packages/internals/test/long_value.test.ts"],
  globalSetup: [],
};
/** What leads to a server is tested beside the store there. */
const WITH_SERVER: Tests = {
  ...LINES,
  include: [...LINES.include, "packages/postgres/test/open_persistence.test.ts"],
  globalSetup: ["test/servers/src/postgres/global_setup.ts"],
};
const MIGRATOR: Tests = {
  include: ["packages/migrator/test/**/*.test.ts"],
  globalSetup: ["packages/migrator/test/build_program.ts", "test/servers/src/postgres/global_setup.ts"],
};

/** What a terminal shows is shown by programs. */
const TERMINAL: Tests = {
  include: ["packages/cli/test/**/*.test.ts", "packages/migrator/test/{arguments,cli}/**/*.test.ts"],
  globalSetup: MIGRATOR.globalSetup,
};

const LEADS_TO_SERVER = ["packages/v16/src/", "packages/internals/src/config/"];

/**
 * Which tests are tried on mutants of these files, for all of which they must be the same. The lines' sources are tested by those of `internals` and `lines`, and
 * by the conformance suite, whose results are taken over; what other projects would notice beside is not looked at.
 */
export function testsFor(files: readonly string[]): Tests {
  const [first = ""] = files;
  if (first.startsWith("packages/migrator/")) return MIGRATOR;
  if (first.startsWith("packages/cli/src/")) return TERMINAL;
  return LEADS_TO_SERVER.some((folder) => first.startsWith(folder)) ? WITH_SERVER : LINES;
}
