import { readCorpus } from "../../../../packages/conformance/src/corpus/corpus.ts";
import type { LoadedCase } from "../../../../packages/conformance/src/corpus/load_cases.ts";
import { implementationAdapter } from "../../../../packages/conformance/src/implementations.ts";
import type { AdapterSource, Channel } from "../../../../packages/conformance/src/protocol/channel.ts";
import type { CaseRecord } from "../../../../packages/conformance/src/report/record.ts";
import { judgeCases } from "../../../../packages/conformance/src/runner/judge_cases.ts";
import { type JudgeContext, Worker } from "../../../../packages/conformance/src/runner/worker.ts";
import { strykerState } from "../run/stryker_state.ts";

/** Much longer than any step takes, also on a busy machine. */
const TIMEOUT_MS = 20_000;

/** A line of this process under the suite; every request of a case says in `currentTestId` which case it is. */
export class JudgedLine {
  readonly #line: string;
  readonly #worker: Worker;
  readonly #context: JudgeContext;

  private constructor(line: string, worker: Worker, context: JudgeContext) {
    this.#line = line;
    this.#worker = worker;
    this.#context = context;
  }

  /** Starts the line; undefined when it does not come up. */
  static async start(line: "15" | "16"): Promise<JudgedLine | undefined> {
    const { cases, requirements, shared } = readCorpus();
    const adapter = naming(line, implementationAdapter(`perdura-${line}`));
    const worker = await Worker.start({ adapter, line, timeoutMs: TIMEOUT_MS, shared, notes: [] });
    if (!worker) return undefined;
    const { spec_version: version, capabilities, choices } = worker.introduction;
    const plain = { selection: {}, profile: undefined, seed: null };
    return new JudgedLine(line, worker, { ...plain, cases, requirements, version, capabilities, choices });
  }

  /** Every case that applies to the line. */
  async judgeAll(): Promise<{ test: string; verdict: string; took: number }[]> {
    const judged: { record: CaseRecord; took?: number }[] = [];
    await judgeCases([this.#worker], this.#context, (one) => judged.push(one));
    return judged.flatMap(({ record: { id, verdict }, took }) =>
      took === undefined ? [] : [{ test: `${this.#line} ${id}`, verdict, took }],
    );
  }

  async judge(loaded: LoadedCase): Promise<string> {
    return (await this.#worker.judge(loaded, this.#context)).record.verdict;
  }

  close(): Promise<void> {
    return this.#worker.close();
  }
}

function naming(line: string, source: AdapterSource): AdapterSource {
  return {
    ...source,
    async connect(): Promise<Channel> {
      const channel = await source.connect();
      return {
        diagnostics: () => channel.diagnostics(),
        close: () => channel.close(),
        async exchange(text, timeoutMs) {
          const request = JSON.parse(text) as { type: string; case?: string };
          const state = strykerState();
          if (request.case !== undefined) {
            state.currentTestId = `${line} ${request.case}`;
            if (state.hitLimit !== undefined) state.hitCount = 0;
          }
          const reply = await channel.exchange(text, timeoutMs);
          if (request.type === "end") delete state.currentTestId;
          return reply;
        },
      };
    },
  };
}
