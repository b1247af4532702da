import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { atExit } from "../at_exit.ts";

/** The folder of a run: a fresh directory for each case, and one of the suite's own. */
export interface Sandbox {
  /** What `hello` names; everything an adapter may touch lies in it. */
  root: string;
  /** Copies and half-made files of the suite, out of the adapter's sight. */
  scratch: string;
  /** Makes the directory of one case. */
  enter(id: string): string;
  /** Names beside the case's directory, or beside the sandbox, that nobody but the implementation can have made. */
  strays(id: string): string[];
  /** Removes the directory of a case and everything stray. */
  leave(id: string): void;
  remove(): void;
}

/** Makes the folder of a run below the system's temporary folder. */
export function makeSandbox(): Sandbox {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "perdura-conformance-")));
  const root = join(top, "sandbox");
  const scratch = join(top, "suite");
  mkdirSync(root);
  mkdirSync(scratch);
  /** What lies beside the sandbox and is not the suite's: one step further out than a case's neighbours. */
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
    strays: (id) => [
      ...readdirSync(root).filter((name) => name !== folderOf(id)),
      ...outside().map((name) => `../${name}`),
    ],
    leave() {
      for (const name of readdirSync(root)) rmSync(join(root, name), { recursive: true, force: true });
      for (const name of outside()) rmSync(join(top, name), { recursive: true, force: true });
    },
    // Where a process that was just ended still wrote into it, once is not enough.
    remove: atExit(() => rmSync(top, { recursive: true, force: true, maxRetries: 5 })),
  };
}
