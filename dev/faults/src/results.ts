import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Evidence } from "./judge_fault.ts";
import type { FaultyImplementation } from "./seeded_fault.ts";

/** The evidence against each fault of each implementation, by their names. */
export type Results = Partial<Record<FaultyImplementation["name"], Record<string, Evidence>>>;

const fileOf = (root: string): string => join(root, "dev", "faults", "results.json");

export function readResults(root: string): Results {
  return existsSync(fileOf(root)) ? (JSON.parse(readFileSync(fileOf(root), "utf8")) as Results) : {};
}

/** Adds the evidence against one fault to the committed results. */
export function keepResult(root: string, name: FaultyImplementation["name"], fault: string, evidence: Evidence): void {
  const results = readResults(root);
  results[name] = { ...results[name], [fault]: evidence };
  writeFileSync(fileOf(root), `${JSON.stringify(results, null, 2)}\n`);
}
