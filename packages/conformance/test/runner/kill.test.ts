import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { freshFolder } from "../../../../test/fresh_folder.ts";
import { runSuite } from "../../src/runner/run_suite.ts";
import { LONG_TIMEOUT_MS } from "../../src/selftest/self_check.ts";
import { fakeAdapter } from "../fake_adapter.ts";

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
    const folder = freshFolder();
    for (const name of ["cases/runner", "data"]) mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(join(folder, "cases/runner/lost.json"), JSON.stringify(CASE));
    const corpus = { cases: join(folder, "cases"), data: join(folder, "data") };
    const { cases } = await runSuite({ adapter: fakeAdapter(fault), corpus, timeoutMs: LONG_TIMEOUT_MS });
    expect(cases).toMatchObject([{ id: "runner/lost", verdict: "pass", failures: [] }]);
  },
);
