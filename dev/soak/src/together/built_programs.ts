import { bundleOf } from "../../../../test/programs.ts";
import { buildProgram } from "../../../tools/build_program.ts";

/** Functions that return the path of a program, which is built at the first call. */
export interface Programs {
  migrate: () => string;
  backup: () => string;
}

/** Bundle of a package's program if this test run has one; otherwise builds it. `remove` removes what was built. */
export function bundledOrBuilt(folder: string, name: string): ReturnType<typeof buildProgram> {
  const program = bundleOf(new URL(`../../../../packages/${folder}/src/cli.ts`, import.meta.url));
  return program === undefined ? buildProgram(folder, name) : { program, remove: () => undefined };
}

/** Builds the programs that are used and not bundled by a test run, and removes them afterwards. */
export async function withPrograms(use: (programs: Programs) => Promise<void>): Promise<void> {
  const built = new Map<string, ReturnType<typeof buildProgram>>();
  const program = (folder: string, name: string) => (): string => {
    const found = built.get(name) ?? bundledOrBuilt(folder, name);
    built.set(name, found);
    return found.program;
  };
  try {
    await use({ migrate: program("migrator", "perdura-migrate"), backup: program("backup", "perdura-backup") });
  } finally {
    for (const { remove } of built.values()) remove();
  }
}
