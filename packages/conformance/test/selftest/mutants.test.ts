import { existsSync } from "node:fs";
import { expect, it } from "vitest";
import { createAdapter as createAdapter15 } from "../../adapters/v15.ts";
import { createAdapter as createAdapter16 } from "../../adapters/v16.ts";
import { inProcessAdapter } from "../../src/protocol/in_process.ts";
import type { Adapter } from "../../src/protocol/messages.ts";
import { runSuite } from "../../src/runner/run_suite.ts";
import { JSON_MUTANTS } from "./json_mutants.ts";
import { METRICS_MUTANTS } from "./metrics_mutants.ts";
import type { Mutant } from "./mutations.ts";
import { SQLITE_MUTANTS } from "./sqlite_mutants.ts";
import { VERSION_MUTANTS } from "./version_mutants.ts";

const MUTANTS = [...JSON_MUTANTS, ...SQLITE_MUTANTS, ...METRICS_MUTANTS, ...VERSION_MUTANTS];

function mutate(inner: Adapter, mutant: Mutant): Adapter {
  const databases = new Set<string>();
  return {
    async handle(request) {
      const answer = await inner.handle(request);
      if (request.type === "begin") databases.clear();
      if (request.type === "call") {
        if (typeof request.args.db_path === "string") databases.add(request.args.db_path);
        return mutant.answer?.(request, answer) ?? answer;
      }
      if (request.type === "settle") mutant.settled?.([...databases].filter((path) => existsSync(path)));
      return answer;
    },
  };
}

it.each(MUTANTS.map((mutant) => [mutant.name, mutant.kills, mutant] as const))(
  "an implementation that %s fails %s",
  async (_name, kills, mutant) => {
    const create = mutant.line === "perdura-15" ? createAdapter15 : createAdapter16;
    const { cases } = await runSuite({
      adapter: inProcessAdapter("mutant", () => mutate(create(), mutant)),
      cases: [kills],
    });
    const judged = cases.filter((record) => record.verdict !== "not-run");
    expect(judged).toMatchObject([{ id: kills, verdict: "fail" }]);
  },
);
