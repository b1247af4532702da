import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { freshFolder } from "../../../test/fresh_folder.ts";
import type { CorpusFolders } from "../src/corpus/load_cases.ts";
import { smallCorpus } from "../src/selftest/small_corpus.ts";
import type { CorpusKind } from "../src/selftest/small_corpus.ts";

export { faultyAdapter as fakeAdapter } from "../src/selftest/small_corpus.ts";

/** A corpus with one case only, without data that cases share. */
export function corpusOf(tested: { id: string }): CorpusFolders {
  const folder = freshFolder();
  const corpus = { cases: join(folder, "cases"), data: join(folder, "data") };
  const file = join(corpus.cases, `${tested.id}.json`);
  for (const place of [dirname(file), corpus.data]) mkdirSync(place, { recursive: true });
  writeFileSync(file, JSON.stringify(tested));
  return corpus;
}

/** A part of the corpus that tests the runner, removed after the test; `only` selects cases. */
export function runnerCorpus(kind: CorpusKind, only?: string[]): CorpusFolders {
  const { cases, data, remove } = smallCorpus(kind, only);
  onTestFinished(remove);
  return { cases, data };
}
