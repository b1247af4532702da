import type { Verdict } from "../report/record.ts";
import { runSuite } from "../runner/run_suite.ts";
import type { SuiteResult } from "../runner/suite_options.ts";
import { LONG_TIMEOUT_MS, selfCheck } from "./self_check.ts";
import type { SelfCheck } from "./self_check.ts";
import { faultyAdapter, smallCorpus } from "./small_corpus.ts";
import type { SmallCorpus } from "./small_corpus.ts";

/** One fault of an adapter, and the expected verdicts of the runner. */
interface Fault {
  /** Name of the fault, an argument of the small adapter. */
  name: string;
  /** Cases of the runner's corpus with the verdict that each must get. */
  verdicts: Record<string, Verdict>;
  /** Text that the report must contain. */
  words: string;
}

const down = { "expected-errors": "not-run", "round-trip": "not-run" } as const;
const broken = (verdict: Verdict): Fault["verdicts"] => ({ "expected-errors": verdict, "round-trip": verdict });

/** All faults. One case of a crashing adapter expects an error, which a crash must not satisfy. */
const FAULTS: readonly Fault[] = [
  { name: "exits at once", verdicts: down, words: "exit code 3" },
  { name: "dies in hello", verdicts: down, words: "dies in hello" },
  { name: "wrong protocol", verdicts: down, words: "answer to hello is invalid" },
  { name: "unknown capability", verdicts: down, words: "answer to hello is invalid" },
  { name: "wrong seq", verdicts: broken("protocol-error"), words: "with seq 999" },
  { name: "two replies", verdicts: broken("protocol-error"), words: "2 answers to one request" },
  { name: "not JSON", verdicts: broken("protocol-error"), words: "JSON has no such number" },
  { name: "noise on stdout", verdicts: broken("protocol-error"), words: "Standard output is for answers only" },
  { name: "noise after the answer", verdicts: broken("protocol-error"), words: "done" },
  { name: "not UTF-8", verdicts: broken("protocol-error"), words: "not UTF-8" },
  { name: "long line", verdicts: broken("protocol-error"), words: "more than 16777216 bytes" },
  {
    name: "unknown kind of error",
    verdicts: broken("protocol-error"),
    words: "answer to call load_from_json is invalid",
  },
  { name: "no final newline", verdicts: broken("crash"), words: "in the middle of a line" },
  { name: "crash in a call", verdicts: broken("crash"), words: "exit code 1" },
  { name: "killed in a call", verdicts: broken("crash"), words: "signal SIGKILL" },
  { name: "hang", verdicts: broken("timeout"), words: "no answer within" },
  {
    name: "comes up once",
    verdicts: { "expected-errors": "crash", "needs-sqlite": "unsupported", "round-trip": "not-run" },
    words: "did not restart",
  },
  { name: "writes at the end", verdicts: { killed: "fail", "round-trip": "pass" }, words: "the file library.json" },
  { name: "behind a program", verdicts: { killed: "fail", "round-trip": "pass" }, words: "the file library.json" },
  { name: "split line", verdicts: broken("pass"), words: "" },
  { name: "ignores the end", verdicts: broken("pass"), words: "" },
  { name: "unsupported", verdicts: { "round-trip": "fail" }, words: "unsupported: not today" },
  { name: "writes outside", verdicts: { "round-trip": "fail" }, words: "stray.txt" },
  { name: "writes far outside", verdicts: { "round-trip": "fail" }, words: "../far.txt" },
  { name: "keeps a lock", verdicts: { "written-by-another": "fail" }, words: "database is locked" },
];

/** First timeout of an adapter that hangs; multiplied by 4 if it did not even start within that time. */
const SHORTEST_MS = 1000;

/** Runs every faulty adapter; none may get too good a verdict, and no finished result may be lost. */
export async function* checkFaults(): AsyncGenerator<SelfCheck> {
  for (const fault of FAULTS) {
    const corpus = smallCorpus("valid-pass", Object.keys(fault.verdicts));
    try {
      const { cases, summary, records } = await judge(fault, corpus);
      const got = Object.fromEntries(cases.map(({ id, verdict }) => [id.slice("runner/".length), verdict]));
      const wanted = JSON.stringify(fault.verdicts);
      const said = JSON.stringify(records);
      const sum = Object.values(summary.counts).reduce((total, count) => total + count);
      yield selfCheck(
        "faulty adapters",
        fault.name,
        JSON.stringify(got) !== wanted && `expected ${wanted}, got ${JSON.stringify(got)}`,
        !said.includes(fault.words) && `the report does not say "${fault.words}"`,
        sum !== cases.length && `${cases.length} cases and ${sum} verdicts`,
      );
    } finally {
      corpus.remove();
    }
  }
}

async function judge({ name }: Fault, corpus: SmallCorpus): Promise<SuiteResult> {
  const run = (timeoutMs: number): Promise<SuiteResult> =>
    runSuite({ adapter: faultyAdapter(name), corpus, timeoutMs });
  if (name !== "hang") return run(LONG_TIMEOUT_MS);
  for (let timeoutMs = SHORTEST_MS; ; timeoutMs *= 4) {
    const result = await run(timeoutMs);
    if (result.summary.counts["not-run"] === 0 || timeoutMs > LONG_TIMEOUT_MS) return result;
  }
}
