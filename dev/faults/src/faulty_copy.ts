import { execFileSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Line } from "@perdura/conformance";
import { copyWithFaults, type FaultyImplementation, type SeededFault } from "./seeded_fault.ts";
import { temporaryFolder } from "../../../test/temporary_folder.ts";

/**
 * Makes mistakes in a copy of an implementation, builds the copy, and removes it after its use.
 * @param use gets the command that starts the adapter of a line.
 * @throws {Error} if the copy does not build: that says nothing about the suite.
 */
export async function withFaultyCopy<Result>(
  root: string,
  { name, folder }: FaultyImplementation,
  faults: readonly SeededFault[],
  use: (commandOf: (line: Line) => string[]) => Promise<Result>,
): Promise<Result> {
  const top = temporaryFolder();
  try {
    const copy = join(top, "copy");
    copyWithFaults(join(root, folder), faults, copy);
    const command = name === "go" ? [built(copy, top)] : ["python3", join(copy, "adapter.py")];
    return await use((line) => [...command, line]);
  } finally {
    rmSync(top, { recursive: true, force: true });
  }
}

/** The driver from the package of Debian: a module proxy is not needed then. */
const DRIVER = "/usr/share/gocode/src/github.com/mattn/go-sqlite3";

function built(source: string, top: string): string {
  const program = join(top, "adapter");
  const go = (...words: string[]): unknown => execFileSync("go", words, { cwd: source, stdio: "pipe" });
  if (existsSync(DRIVER)) go("mod", "edit", "-replace", `github.com/mattn/go-sqlite3=${DRIVER}`);
  go("build", "-mod=mod", "-o", program, "./cmd/adapter");
  return program;
}
