import { onTestFinished } from "vitest";
import type { CorpusFolders } from "../src/corpus/load_cases.ts";
import { smallCorpus } from "../src/selftest/small_corpus.ts";
import type { CorpusKind } from "../src/selftest/small_corpus.ts";

export { faultyAdapter as fakeAdapter } from "../src/selftest/small_corpus.ts";

/** A part of the corpus that tests the runner, removed after the test; `only` selects cases. */
export function runnerCorpus(kind: CorpusKind, only?: string[]): CorpusFolders {
  const { cases, data, remove } = smallCorpus(kind, only);
  onTestFinished(remove);
  return { cases, data };
}
