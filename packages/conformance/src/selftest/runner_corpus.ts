import { readdirSync } from "node:fs";
import { join } from "node:path";
import { loadCases } from "../corpus/load_cases.ts";
import { loadRequirements } from "../corpus/requirements.ts";
import { runSuite } from "../runner/run_suite.ts";
import { LONG_TIMEOUT_MS, selfCheck, type SelfCheck } from "./self_check.ts";
import { corpusFolder, faultyAdapter, smallCorpus } from "./small_corpus.ts";

const PART = "runner corpus";

/** Reason for which each invalid case must be refused; another reason would prove nothing. */
const REASONS: Readonly<Record<string, string>> = {
  "answers-of-a-must": "its answers require one open question",
  "answers-unknown": 'has no answer "perhaps"',
  "answers-without-ruling": "the ruling is not among the answers",
  "anything-at-the-end": "must be followed by a step",
  "assumes-what-it-checks": "so it cannot be assumed",
  "bad-range": "not a bound",
  "check-of-nothing": "must match exactly one schema",
  "check-twice": 'two checks have the id "a"',
  "handle-after-settling": "no object is kept as",
  "handle-not-kept": "no object is kept as",
  "kill-without-call": "the step before a kill must be a call",
  "meets-a-should": "not a must",
  "meets-what-it-does-not-cite": "which the case does not cite",
  "mixed-levels": "different levels",
  "no-steps": "fewer than 1 items",
  "one-of-without-question": "$oneOf is for open questions",
  "unknown-error-kind": "allowed values",
  "unknown-key": "additional properties",
  "unknown-matcher": "must match pattern",
  "unknown-operation": "does not exist",
  "unknown-requirement": "does not exist",
  "unknown-step": "required property",
  "way-out": "pattern",
};

/** Verdicts of the cases that must not fail, other than pass, with a correct adapter that supports only JSON. */
const PASSING: Readonly<Record<string, string>> = {
  assuming: "inapplicable",
  "needs-sqlite": "unsupported",
  observed: "observed",
  "other-answer": "observed",
  "strays-in-a-question": "observed",
  "unknown-answer": "observed",
  "other-version": "inapplicable",
  "written-by-another": "unsupported",
};

/** Invalid cases are refused, faulty ones fail, correct ones pass, and every case file has one verdict. */
export async function* checkRunner(): AsyncGenerator<SelfCheck> {
  for (const name of names("invalid")) yield selfCheck(PART, `refuses ${name}`, refusalFault(name));
  for (const kind of ["valid-fail", "valid-pass"] as const) {
    const corpus = smallCorpus(kind);
    try {
      const { cases, summary } = await runSuite({ adapter: faultyAdapter(), corpus, timeoutMs: LONG_TIMEOUT_MS });
      for (const { id, verdict, failures } of cases) {
        const name = id.slice("runner/".length);
        const wanted = kind === "valid-fail" ? "fail" : (PASSING[name] ?? "pass");
        const silent = verdict === "fail" && failures.length === 0;
        yield selfCheck(
          PART,
          `${wanted}: ${name}`,
          verdict !== wanted && `got ${verdict}`,
          silent && "no reason is given",
        );
      }
      const sum = Object.values(summary.counts).reduce((total, count) => total + count);
      const files = names(kind).length;
      yield selfCheck(PART, `accounts for ${kind}`, sum !== files && `${files} case files and ${sum} verdicts`);
    } finally {
      corpus.remove();
    }
  }
}

function refusalFault(name: string): string | undefined {
  const corpus = smallCorpus("invalid", [name]);
  try {
    loadCases(corpus, loadRequirements());
    return "it was accepted";
  } catch (error) {
    const { message } = error as Error;
    const reason = REASONS[name];
    if (reason === undefined) return "no reason is known for it";
    // oxlint-disable-next-line messages/no-decisions -- the words themselves are checked: they must tell the author what is wrong
    return message.includes(reason) ? undefined : `refused for another reason than "${reason}": ${message}`;
  } finally {
    corpus.remove();
  }
}

function names(kind: Parameters<typeof corpusFolder>[0]): string[] {
  return readdirSync(join(corpusFolder(kind), "runner"))
    .map((name) => name.replace(".json", ""))
    .toSorted();
}
