import process from "node:process";
import { threadId } from "node:worker_threads";
import { strykerState } from "../run/stryker_state.ts";
import { keepChildCoverage } from "./child_coverage.ts";
import type { ChildSettings } from "./child_settings.ts";

// Loaded before every Node.js program that a test starts. A program that is killed cannot say what it reached: its mutants
// are then tried on fewer tests, never counted as killed.

const text = process.env["PERDURA_MUTATION_CHILD"];
if (text !== undefined) {
  const { test, folder, hitLimit } = JSON.parse(text) as ChildSettings;
  const state = strykerState();
  if (hitLimit !== undefined) Object.assign(state, { hitCount: 0, hitLimit });
  if (folder !== undefined && test !== undefined)
    process.on("exit", () => {
      const reached = Object.keys(state.mutantCoverage?.static ?? {});
      if (reached.length > 0) keepChildCoverage(folder, `${process.pid}-${threadId}-${Date.now()}`, { test, reached });
    });
}
