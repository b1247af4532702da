import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CorpusFolders } from "../corpus/load_cases.ts";
import { packageRoot } from "../package_root.ts";
import { commandAdapter } from "../protocol/stdio.ts";
import type { AdapterSource } from "../protocol/channel.ts";

/** Parts of the corpus that tests the runner: cases that must pass, must fail, or must be refused. */
export type CorpusKind = "valid-pass" | "valid-fail" | "invalid";

/** A small corpus in a temporary folder. */
export interface SmallCorpus extends CorpusFolders {
  remove: () => void;
}

/** The folder of one part of the corpus that tests the runner. */
export function corpusFolder(kind: CorpusKind): string {
  return join(packageRoot(), "selftest", "corpus", kind);
}

/**
 * Copies a part of the corpus that tests the runner.
 * @param only names of cases; all by default.
 */
export function smallCorpus(kind: CorpusKind, only?: readonly string[]): SmallCorpus {
  const top = mkdtempSync(join(tmpdir(), "perdura-corpus-"));
  mkdirSync(join(top, "data"));
  const cases = join(top, "cases");
  if (only === undefined) cpSync(corpusFolder(kind), cases, { recursive: true });
  for (const name of only ?? [])
    cpSync(join(corpusFolder(kind), "runner", `${name}.json`), join(cases, "runner", `${name}.json`));
  return { cases, data: join(top, "data"), remove: () => rmSync(top, { recursive: true, force: true }) };
}

/** The small adapter that tests the runner, as a program, with one fault. */
export function faultyAdapter(fault = "none", version = "16.0.0"): AdapterSource {
  const program = join(packageRoot(), "selftest", "faulty_adapter.mjs");
  return commandAdapter([process.execPath, program, fault, version].map((word) => JSON.stringify(word)).join(" "));
}
