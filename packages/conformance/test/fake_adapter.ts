import { cpSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { freshFolder } from "../../../test/fresh_folder.ts";
import type { CorpusFolders } from "../src/corpus/load_cases.ts";
import type { AdapterSource } from "../src/protocol/channel.ts";
import { commandAdapter } from "../src/protocol/stdio.ts";

/** Parts of the corpus that tests the runner: cases that must pass, must fail, or must be refused. */
type CorpusKind = "valid-pass" | "valid-fail" | "invalid";

const folderOf = (kind: CorpusKind): string => join(import.meta.dirname, "runner", "corpus", kind, "runner");

/** Names of the cases in a part of the corpus that tests the runner. */
export function runnerCases(kind: CorpusKind): string[] {
  return readdirSync(folderOf(kind))
    .map((name) => name.replace(".json", ""))
    .toSorted();
}

/** A part of the corpus that tests the runner, removed after the test; `only` selects cases. */
export function runnerCorpus(kind: CorpusKind, only: readonly string[] = runnerCases(kind)): CorpusFolders {
  const corpus = emptyCorpus();
  for (const name of only) cpSync(join(folderOf(kind), `${name}.json`), join(corpus.cases, "runner", `${name}.json`));
  return corpus;
}

/** A corpus with one case only, without data that cases share. */
export function corpusOf(tested: { id: string }): CorpusFolders {
  const corpus = emptyCorpus();
  const file = join(corpus.cases, `${tested.id}.json`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(tested));
  return corpus;
}

function emptyCorpus(): CorpusFolders {
  const folder = freshFolder();
  const corpus = { cases: join(folder, "cases"), data: join(folder, "data") };
  for (const place of Object.values(corpus)) mkdirSync(place);
  return corpus;
}

/** The small adapter that tests the runner, as a program, with one fault. */
export function fakeAdapter(fault = "none", version = "16.0.0"): AdapterSource {
  const program = join(import.meta.dirname, "faulty_adapter.mjs");
  return commandAdapter([process.execPath, program, fault, version].map((word) => JSON.stringify(word)).join(" "));
}
