import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";
import { PATIENCE_MS } from "../../../../test/patience.ts";
import type { CaseRecord, Verdict } from "../../src/results/record.ts";
import { runSuite } from "../../src/runner/run_suite.ts";
import type { SuiteResult } from "../../src/runner/suite_options.ts";
import { fakeAdapter, runnerCorpus } from "../fake_adapter.ts";

/** One fault of an adapter, and the expected verdicts of the runner. */
interface Fault {
  /** Name of the fault, an argument of the small adapter. */
  name: string;
  /** Cases of the runner's corpus with the verdict that each must get. */
  verdicts: Record<string, Verdict>;
  /** Text that the report must contain. */
  words: string;
  /** True if the runner finds it only at the end of a timeout. */
  waits?: true;
}

const down = { "expected-errors": "not-run", "round-trip": "not-run" } as const;
const broken = (verdict: Verdict): Fault["verdicts"] => ({ "expected-errors": verdict, "round-trip": verdict });

/** All faults. One case of a crashing adapter expects an error, which a crash must not satisfy. */
const FAULTS: readonly Fault[] = [
  { name: "exits at once", verdicts: down, words: "exit code 3" },
  { name: "dies in hello", verdicts: down, words: "dies in hello" },
  { name: "wrong protocol", verdicts: down, words: "hello: the adapter's answer is invalid" },
  { name: "unknown capability", verdicts: down, words: "hello: the adapter's answer is invalid" },
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
    words: "the adapter's answer is invalid",
  },
  { name: "no final newline", verdicts: broken("crash"), words: "in the middle of a line" },
  { name: "crash in a call", verdicts: broken("crash"), words: "exit code 1" },
  { name: "killed in a call", verdicts: broken("crash"), words: "signal SIGKILL" },
  { name: "hang", verdicts: broken("timeout"), words: "no answer within", waits: true },
  {
    name: "no line end",
    verdicts: broken("timeout"),
    words: String.raw`ms; the adapter has sent \"{\\\"seq\\\":`,
    waits: true,
  },
  {
    name: "closes its output",
    verdicts: broken("protocol-error"),
    words: "the adapter closed its standard output and did not end",
  },
  {
    name: "slow start",
    verdicts: down,
    words: "ms; stderr: loading the model; if the program only starts slowly, allow more time with --timeout",
    waits: true,
  },
  {
    name: "comes up once",
    verdicts: { "expected-errors": "crash", "needs-sqlite": "unsupported", "round-trip": "not-run" },
    words: "did not restart",
  },
  { name: "writes at the end", verdicts: { killed: "fail", "round-trip": "pass" }, words: "the file library.json" },
  { name: "behind a program", verdicts: { killed: "fail", "round-trip": "pass" }, words: "the file library.json" },
  // Correct: the number of a request is that of the one before it and 1, from 0 in each process.
  {
    name: "counts requests",
    verdicts: { "expected-errors": "pass", killed: "pass", "round-trip": "pass", variables: "pass" },
    words: "",
  },
  { name: "tells its folder", verdicts: { "round-trip": "fail" }, words: JSON.stringify(process.cwd()).slice(1, -1) },
  { name: "split line", verdicts: broken("pass"), words: "" },
  { name: "ignores the end", verdicts: broken("pass"), words: "" },
  { name: "unsupported", verdicts: { "round-trip": "fail" }, words: "unsupported: not today" },
  { name: "writes outside", verdicts: { "round-trip": "fail" }, words: "stray.txt" },
  { name: "writes far outside", verdicts: { "round-trip": "fail" }, words: "../far.txt" },
  { name: "keeps a lock", verdicts: { "written-by-another": "fail" }, words: "database is locked" },
];

/** First timeout of an adapter that is waited for; multiplied by 4 if it did not even start within that time. */
const SHORTEST_MS = 1000;

test.each(FAULTS)("an adapter with the fault: $name", async (fault) => {
  const { cases, summary, records } = await judge(fault);
  expect(verdictsOf(cases)).toEqual(fault.verdicts);
  expect(JSON.stringify(records)).toContain(fault.words);
  expect(Object.values(summary.counts).reduce((total, count) => total + count)).toBe(cases.length);
});

test("the place of a fault is its own field, and not a part of its reason", async () => {
  const { cases } = await judge({ name: "wrong seq", verdicts: broken("protocol-error"), words: "" });
  expect(cases.map(({ place }) => place)).toEqual(["step 1, call load_from_json", "step 4, call load_from_json"]);
  expect(cases.map(({ reason }) => reason?.replace(/\d+$/, "N"))).toEqual(
    Array.from(cases, () => "the adapter answered with seq 999 instead of N"),
  );
});

function verdictsOf(cases: readonly CaseRecord[]): Fault["verdicts"] {
  return Object.fromEntries(cases.map(({ id, verdict }) => [id.slice("runner/".length), verdict]));
}

async function judge({ name, verdicts, words, waits }: Fault): Promise<SuiteResult> {
  const run = (timeoutMs: number): Promise<SuiteResult> =>
    runSuite({ adapter: fakeAdapter(name), corpus: runnerCorpus("valid-pass", Object.keys(verdicts)), timeoutMs });
  if (waits === undefined) return run(PATIENCE_MS);
  for (let timeoutMs = SHORTEST_MS; ; timeoutMs *= 4) {
    const result = await run(timeoutMs);
    const isFound = isDeepStrictEqual(verdictsOf(result.cases), verdicts) && JSON.stringify(result).includes(words);
    if (isFound || timeoutMs > PATIENCE_MS) return result;
  }
}
