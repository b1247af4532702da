import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { inProcessAdapter } from "../../src/protocol/in_process.ts";
import type { Answer, Introduction } from "../../src/protocol/messages.ts";
import { runSuite } from "../../src/runner/run_suite.ts";
import { needsPosix } from "../../src/runner/selection.ts";
import { corpusOf } from "../fake_adapter.ts";

const INTRODUCTION: Introduction = {
  protocol: 1,
  spec_version: "15.0.0",
  implementation: { name: "forgetful", version: "1.0.0", language: "TypeScript" },
  capabilities: ["state"],
  choices: {},
};

const CASE = {
  id: "runner/many",
  title: "The states of five users come back",
  requirements: ["R-4.4/save-load"],
  steps: [
    { call: "StateManager", args: { state_dir: { $path: "states" } }, keep: "states" },
    {
      call: "load_state",
      times: 5,
      handle: "states",
      args: { user_id: "user-{n}" },
      expect: { ok: { user_id: "user-{n}" } },
    },
  ],
};

test("a call with `times` is repeated until a copy fails, and the failure shows its arguments", async () => {
  const asked: unknown[] = [];
  const adapter = inProcessAdapter("forgetful", () => ({
    handle(request): Answer {
      const { seq, type } = request;
      if (type === "hello") return { seq, type: "ok", ...INTRODUCTION };
      if (type !== "call") return { seq, type: "ok" };
      if (request.op !== "load_state") return { seq, type: "ok", value: null };
      asked.push(request.args.user_id);
      return {
        seq,
        type: "ok",
        value: request.args.user_id === "user-3" ? null : { user_id: request.args.user_id ?? null },
      };
    },
  }));
  const { cases } = await runSuite({ adapter, corpus: corpusOf(CASE) });
  expect(asked).toEqual(["user-1", "user-2", "user-3"]);
  expect(cases).toMatchObject([
    { verdict: "fail", failures: [{ step: 2, got: "null", given: ['arguments {"user_id":"user-3"}'] }] },
  ]);
});

test("a case with permissions or symbolic links does not apply on Windows", () => {
  const call = { call: "PatternLibrary", args: {} };
  const withSteps = (...steps: object[]) => ({ id: "a/b", title: "", requirements: [], steps: steps as never });
  const reason = "needs permissions and symbolic links as in POSIX";
  expect(needsPosix(withSteps(call, { put: "a", text: "", mode: "640" }), "win32")).toBe(reason);
  expect(needsPosix(withSteps({ put: "a", symlink: "b" }), "win32")).toBe(reason);
  expect(needsPosix(withSteps({ put: "a", symlink: "b" }), "linux")).toBeUndefined();
  expect(needsPosix(withSteps(call, { put: "a", text: "" }), "win32")).toBeUndefined();
});

const WRITTEN_WHILE_OPEN = {
  id: "runner/open",
  title: "Another program writes while a collector is open",
  requirements: ["R-4.2/one-row"],
  steps: [
    { call: "MetricsCollector", args: { db_path: { $path: "metrics.db" } }, keep: "metrics" },
    { write: "metrics.db", statements: ["INSERT INTO kept VALUES (1)"], open: true },
    { call: "get_all_users", args: {}, handle: "metrics", expect: { ok: [1] } },
  ],
};

test.each([
  ["sees", false, "pass", 1],
  ["ends the case by a lock on", true, "pass", 0],
] as const)("an open object %s what another program writes", async (_does, locks, verdict, questions) => {
  let database: Database.Database | undefined;
  let asked = 0;
  const adapter = inProcessAdapter("open", () => ({
    handle(request): Answer {
      const { seq, type } = request;
      if (type === "hello") return { seq, type: "ok", ...INTRODUCTION, capabilities: ["metrics"] };
      if (type === "end") database?.close();
      if (type !== "call") return { seq, type: "ok" };
      if (request.op === "MetricsCollector") {
        database = new Database(request.args.db_path as string);
        database.exec("CREATE TABLE kept (a)");
        if (locks) database.exec("BEGIN EXCLUSIVE");
        return { seq, type: "ok", value: null };
      }
      asked += 1;
      return { seq, type: "ok", value: database?.prepare("SELECT a FROM kept").pluck().all() as number[] };
    },
  }));
  const { cases } = await runSuite({ adapter, corpus: corpusOf(WRITTEN_WHILE_OPEN) });
  expect(cases).toMatchObject([{ verdict }]);
  expect(asked).toBe(questions);
});
