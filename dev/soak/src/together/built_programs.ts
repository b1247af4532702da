import { bundleOf } from "../../../../test/programs.ts";
import { buildProgram } from "../../../tools/build_program.ts";

/** Gives the path of a program, which is built when it is asked for first. */
export interface Programs {
  migrate: () => string;
  backup: () => string;
}

/** A program of a package that this run of tests has bundled, or that is built, and removed with `remove`. */
export function bundledOrBuilt(folder: string, name: string): ReturnType<typeof buildProgram> {
  const program = bundleOf(new URL(`../../../../packages/${folder}/src/cli.ts`, import.meta.url));
  return program === undefined ? buildProgram(folder, name) : { program, remove: () => undefined };
}

/** Builds the programs that are needed and that no run of tests has bundled, and removes them afterwards. */
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
