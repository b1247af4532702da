/** Files of tests, and what must run before them. */
interface Tests {
  include: string[];
  exclude?: string[];
  globalSetup: string[];
}

const LINES: Tests = {
  include: ["packages/internals/test/**/*.test.ts", "test/lines/**/*.test.ts"],
  // It kills programs, which then cannot say what they reached, and takes as long as all others.
  exclude: ["test/lines/processes.test.ts"],
  globalSetup: [],
};
const MIGRATOR: Tests = {
  include: ["packages/migrator/test/**/*.test.ts"],
  globalSetup: ["packages/migrator/test/build_program.ts", "test/servers/src/postgres/global_setup.ts"],
};

/**
 * Which tests are tried on mutants of these files. The lines' sources are tested by those of `internals` and `lines`, and
 * by the conformance suite, whose results are taken over; what other projects would notice beside is not looked at.
 */
export function testsFor(files: readonly string[]): Tests {
  return files.some((file) => file.startsWith("packages/migrator/")) ? MIGRATOR : LINES;
}
