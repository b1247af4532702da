import { readCorpus } from "../../../../packages/conformance/src/corpus/corpus.ts";
import type { LoadedCase } from "../../../../packages/conformance/src/corpus/load_cases.ts";
import { JudgedLine } from "./judged_line.ts";
import type { Answer, Verdicts, Wish } from "./messages.ts";
import { MUTANT_VARIABLE, strykerState } from "../run/stryker_state.ts";

// Both lines and the suite in one process, which Stryker's runner asks for verdicts. It may hang, crash or be spoilt by a
// mutant: whoever asks ends it then, and starts another.

const LINES = ["15", "16"] as const;
const lines = new Map<string, JudgedLine>();
const cases = new Map<string, LoadedCase>(readCorpus().cases.map((loaded) => [loaded.case.id, loaded]));

async function lineOf(test: string): Promise<JudgedLine | undefined> {
  const name = LINES.find((line) => test.startsWith(`${line} `));
  if (name === undefined) throw new Error(`"${test}" is no test: a line and a case were expected`);
  const line = lines.get(name) ?? (await JudgedLine.start(name));
  if (line) lines.set(name, line);
  return line;
}

async function verdict(test: string): Promise<string> {
  const loaded = cases.get(test.slice(test.indexOf(" ") + 1));
  if (!loaded) throw new Error(`"${test}" is no test: there is no such case`);
  return (await (await lineOf(test))?.judge(loaded)) ?? "not-run";
}

/** All cases without a mutant. */
async function learn(): Promise<Answer> {
  const tests = [];
  for (const line of LINES) tests.push(...((await (await lineOf(`${line} `))?.judgeAll()) ?? []));
  return { tests, coverage: strykerState().mutantCoverage ?? { static: {}, perTest: {} } };
}

/** The first test whose verdict is another with the mutant, and whether it is the former one again without. */
async function judge(mutant: string, hitLimit: number | undefined, verdicts: Verdicts): Promise<Answer> {
  const state = strykerState();
  const fromStart = process.env[MUTANT_VARIABLE] !== undefined;
  for (const [test] of fromStart ? [] : verdicts) await lineOf(test);
  state.activeMutant = mutant;
  if (hitLimit !== undefined) state.hitLimit = hitLimit;
  let killer: string | undefined;
  for (const [test, before] of verdicts) {
    if ((await verdict(test)) === before) continue;
    killer = test;
    break;
  }
  delete state.activeMutant;
  const before = killer === undefined ? undefined : new Map(verdicts).get(killer);
  const sound = killer === undefined || (!fromStart && (await verdict(killer)) === before);
  return { killer, sound };
}

process.on("message", (wish: Wish) => {
  const answer = wish.type === "learn" ? learn() : judge(wish.mutant, wish.hitLimit, wish.verdicts);
  answer.then(
    (value) => process.send?.(value),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
process.on("disconnect", () => process.exit());
