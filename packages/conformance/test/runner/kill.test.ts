import { basename } from "node:path";
import { expect, test } from "vitest";
import { inProcessAdapter } from "../../src/protocol/in_process.ts";
import type { Answer, Introduction } from "../../src/protocol/messages.ts";
import { corpusOf, fakeAdapter } from "../fake_adapter.ts";
import { runWithLongTimeout } from "../long_timeout_suite.ts";

const INTRODUCTION: Introduction = {
  protocol: 1,
  spec_version: "16.0.0",
  implementation: { name: "logging", version: "1.0.0", language: "TypeScript" },
  capabilities: ["patterns_json"],
  choices: {},
};

const CASE = {
  id: "runner/lost",
  title: "An unwritten library is lost with the adapter",
  requirements: ["R-4.1/save-to-json"],
  steps: [
    { call: "PatternLibrary", args: { patterns: [], agent_contributions: {} }, keep: "library" },
    { call: "save_to_json", handle: "library", args: { filepath: { $path: "library.json" } } },
    { kill: true },
    // The adapter is started again for this call, so that a process that was not killed has time to write.
    { call: "load_from_json", args: { filepath: { $path: "library.json" } }, expect: { error: "not_found" } },
  ],
};

test.each(["writes at the end", "behind a program"])(
  "an adapter is killed with all its processes: %s",
  async (fault) => {
    const { cases } = await runWithLongTimeout({ adapter: fakeAdapter(fault), corpus: corpusOf(CASE) });
    expect(cases).toMatchObject([{ id: "runner/lost", verdict: "pass", failures: [] }]);
  },
);

test("an adapter that is started again learns the case and its directory", async () => {
  const seen: string[] = [];
  let starts = 0;
  const adapter = inProcessAdapter("logging", () => {
    const own = ++starts;
    return {
      handle(request): Answer {
        const { seq, type } = request;
        seen.push(`${own} ${type === "begin" ? `begin ${basename(request.directory)}` : type}`);
        if (type === "hello") return { seq, type: "ok", ...INTRODUCTION };
        const isLoad = type === "call" && request.op === "load_from_json";
        if (isLoad) return { seq, type: "error", kind: "not_found", native: "E", message: "no such file" };
        return type === "call" ? { seq, type: "ok", value: null } : { seq, type: "ok" };
      },
    };
  });
  await runWithLongTimeout({ adapter, corpus: corpusOf(CASE) });
  const first = ["1 hello", "1 begin runner--lost", "1 call", "1 call"];
  // The killed adapter of this process is only closed when the case has ended.
  const second = ["2 hello", "2 begin runner--lost", "2 call", "2 end", "1 end", "2 bye"];
  expect(seen).toEqual([...first, ...second]);
});
