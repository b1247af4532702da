import { execFileSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { commandAdapter, runSuite } from "@perdura/conformance";
import type { CaseRecord, Line, Selection } from "@perdura/conformance";
import { copyWithFault, type FaultyImplementation, type SeededFault } from "./seeded_fault.ts";
import { temporaryFolder } from "../../../test/temporary_folder.ts";

/** Levels of cases, the strongest first. */
const LEVELS = ["must", "should", "observe", "extra"] as const;

/** The strongest evidence that the suite gave against a fault. */
export interface Evidence {
  /** Undefined if every case passed. */
  level?: (typeof LEVELS)[number];
  /** The first failed case of that level. */
  case?: string;
}

/**
 * Makes a mistake in a copy of an implementation, builds the copy, and lets the suite judge it.
 * @param selection the cases; all by default.
 * @throws {Error} if the copy does not build or start: that says nothing about the suite.
 */
export async function judgeFault(
  root: string,
  implementation: FaultyImplementation,
  fault: SeededFault,
  selection: Selection = {},
): Promise<Evidence> {
  const top = temporaryFolder();
  try {
    const copy = join(top, "copy");
    copyWithFault(join(root, implementation.folder), fault, copy);
    const command = implementation.name === "go" ? [built(copy, top)] : ["python3", join(copy, "adapter.py")];
    let strongest: Evidence = {};
    for (const line of fault.lines) {
      if (strongest.level === "must") break;
      strongest = stronger(strongest, await judge([...command, line], line, selection));
    }
    return strongest;
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

const FAILED: ReadonlySet<CaseRecord["verdict"]> = new Set(["fail", "crash", "timeout", "protocol-error"]);

/** Lets the suite judge one line of an implementation. */
export async function judge(command: string[], line: Line, selection: Selection = {}): Promise<Evidence> {
  const adapter = commandAdapter(command.map((word) => `'${word}'`).join(" "));
  const { cases, summary } = await runSuite({ adapter, line, ...selection });
  if (!cases.some(({ verdict }) => verdict === "pass" || FAILED.has(verdict)))
    throw new Error(`no case was run with ${adapter.name}: ${summary.notes.join("; ")}`);
  return evidenceIn(cases);
}

function evidenceIn(cases: readonly CaseRecord[]): Evidence {
  for (const level of LEVELS) {
    const failed = cases.find((record) => record.level === level && FAILED.has(record.verdict));
    if (failed) return { level, case: failed.id };
  }
  return {};
}

function stronger(one: Evidence, other: Evidence): Evidence {
  const rank = ({ level }: Evidence): number => (level === undefined ? LEVELS.length : LEVELS.indexOf(level));
  return rank(other) < rank(one) ? other : one;
}
