import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
import { atExit } from "../at_exit.ts";
import { temporaryFolder } from "./temporary_folder.ts";

/** The folder of a run: a new directory for each case, and one of the suite. */
export interface Sandbox {
  /** The folder that `hello` names; an adapter may write only there. */
  root: string;
  /** Copies and unfinished files of the suite, which the adapter does not see. */
  scratch: string;
  /** Creates the directory of one case. */
  enter(id: string): string;
  /** Names next to the case's directory or next to the sandbox that only the implementation can have created. */
  outsideFiles(): string[];
  /**
   * Removes the directory of the case and all stray files. Files that cannot be removed stay until the next case ends:
   * Windows removes no file that a process has open.
   */
  leave(): void;
  /** Removes everything; returns a note on files that cannot be removed. */
  remove(): string | undefined;
}

/** Creates the folder of a run below the folder of temporary files. */
export function makeSandbox(): Sandbox {
  const top = realpathSync(mkdtempSync(join(temporaryFolder(), "perdura-conformance-")));
  const root = join(top, "sandbox");
  const scratch = join(top, "suite");
  mkdirSync(root);
  mkdirSync(scratch);
  /** Paths below `top` that could not be removed. */
  const kept = new Set<string>();
  let current: string | undefined;
  const strays = (): string[] => [
    ...readdirSync(root).filter((name) => name !== current),
    ...readdirSync(top)
      .filter((name) => name !== "sandbox" && name !== "suite")
      .map((name) => `../${name}`),
  ];
  let note: string | undefined;
  const remove = atExit(() => {
    // Retried, because a process that was just killed may still have been writing into it.
    const fault = faultOfRemoval(top, 5);
    if (fault !== undefined)
      note = `the folder ${top} was not removed: ${fault.message}. Remove it when it is not in use`;
  });
  return {
    root,
    scratch,
    enter(id) {
      const name = id.replaceAll("/", "--");
      current = name;
      for (let number = 2; kept.has(current); number += 1) current = `${name}--${number}`;
      const directory = join(root, current);
      mkdirSync(directory);
      return directory;
    },
    outsideFiles: () => strays().filter((name) => !kept.has(name)),
    leave() {
      current = undefined;
      for (const name of strays())
        if (faultOfRemoval(join(root, name), 0) === undefined) kept.delete(name);
        else kept.add(name);
    },
    remove() {
      remove();
      return note;
    },
  };
}

/** Error codes of a removal while a process has a file open, or writes into the directory. */
const IN_USE = new Set(["EBUSY", "EPERM", "EACCES", "ENOTEMPTY"]);

/** Removes a file or a directory; returns the error if it stays because it is in use. */
function faultOfRemoval(path: string, maxRetries: number): Error | undefined {
  try {
    rmSync(path, { recursive: true, force: true, maxRetries });
    return undefined;
  } catch (error) {
    if (!IN_USE.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
    return error as Error;
  }
}
