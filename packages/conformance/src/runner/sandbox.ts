import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { atExit } from "../at_exit.ts";

/** The folder of a run: a new directory for each case, and one of the suite. */
export interface Sandbox {
  /** The folder that `hello` names; an adapter may write only there. */
  root: string;
  /** Copies and unfinished files of the suite, which the adapter does not see. */
  scratch: string;
  /** Creates the directory of one case. */
  enter(id: string): string;
  /** Names next to the case's directory or next to the sandbox that only the implementation can have created. */
  outsideFiles(id: string): string[];
  /** Removes the directory of a case and all stray files. */
  leave(id: string): void;
  remove(): void;
}

/** Creates the folder of a run below the system's temporary folder. */
export function makeSandbox(): Sandbox {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "perdura-conformance-")));
  const root = join(top, "sandbox");
  const scratch = join(top, "suite");
  mkdirSync(root);
  mkdirSync(scratch);
  /** Names next to the sandbox that are not the suite's, one level above the directory of the case. */
  const outside = (): string[] => readdirSync(top).filter((name) => name !== "sandbox" && name !== "suite");
  const folderOf = (id: string): string => id.replaceAll("/", "--");
  return {
    root,
    scratch,
    enter(id) {
      const directory = join(root, folderOf(id));
      mkdirSync(directory);
      return directory;
    },
    outsideFiles: (id) => [
      ...readdirSync(root).filter((name) => name !== folderOf(id)),
      ...outside().map((name) => `../${name}`),
    ],
    leave() {
      for (const name of readdirSync(root)) rmSync(join(root, name), { recursive: true, force: true });
      for (const name of outside()) rmSync(join(top, name), { recursive: true, force: true });
    },
    // Retried, because a process that was just killed may still have been writing into it.
    remove: atExit(() => rmSync(top, { recursive: true, force: true, maxRetries: 5 })),
  };
}
