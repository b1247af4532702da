import process from "node:process";
import { threadId } from "node:worker_threads";
import { strykerState } from "../run/stryker_state.ts";
import { keepChildCoverage } from "./child_coverage.ts";
import type { ChildSettings } from "./child_settings.ts";

// Loaded before every Node.js program that a test starts. A program that is killed cannot say what it reached: its mutants
// are then tried on fewer tests, never counted as killed. One that answers questions is killed when its parent has no
// more of them: it says so before each answer, for all tests of the file, since it may answer several.

const text = process.env["PERDURA_MUTATION_CHILD"];
if (text !== undefined) {
  const { by, folder, hitLimit } = JSON.parse(text) as ChildSettings;
  const state = strykerState();
  if (hitLimit !== undefined) Object.assign(state, { hitCount: 0, hitLimit });
  if (folder !== undefined && by !== undefined) sayBeforeItEnds(folder, by);
}

function sayBeforeItEnds(folder: string, by: string): void {
  const asking = process.send === undefined ? by : (by.split("#")[0] as string);
  const name = `${process.pid}-${threadId}-${Date.now()}`;
  let said = 0;
  const say = (): void => {
    const reached = Object.keys(strykerState().mutantCoverage?.static ?? {});
    if (reached.length === said) return;
    said = reached.length;
    keepChildCoverage(folder, name, { by: asking, reached });
  };
  process.on("exit", say);
  const send = process.send?.bind(process);
  if (send === undefined) return;
  process.send = ((...words: [unknown]) => {
    say();
    return send(...words);
  }) as typeof send;
}
