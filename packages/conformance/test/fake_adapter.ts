import { mkdtempSync, mkdirSync, rmSync, cpSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { commandAdapter } from "../src/protocol/stdio.ts";
import type { AdapterSource } from "../src/protocol/channel.ts";
import type { CorpusFolders } from "../src/corpus/load_cases.ts";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** The small adapter of the runner's tests, with one fault switched on, as a program. */
export function fakeAdapter(fault = "none", version = "16.0.0"): AdapterSource {
  return commandAdapter(
    [process.execPath, here("adapters/adapter.mjs"), fault, version].map((word) => JSON.stringify(word)).join(" "),
  );
}

/** A corpus of the runner's tests; `only` leaves the other cases out. */
export function runnerCorpus(kind: "valid-pass" | "valid-fail" | "invalid", only?: string[]): CorpusFolders {
  const top = mkdtempSync(join(tmpdir(), "perdura-corpus-"));
  onTestFinished(() => rmSync(top, { recursive: true, force: true }));
  mkdirSync(join(top, "data"));
  const cases = join(top, "cases");
  if (only === undefined) cpSync(here(`corpus/${kind}`), cases, { recursive: true });
  for (const name of only ?? [])
    cpSync(here(`corpus/${kind}/runner/${name}.json`), join(cases, "runner", `${name}.json`));
  return { cases, data: join(top, "data") };
}
