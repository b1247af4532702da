import type { Introduction } from "../protocol/messages.ts";
import { suiteVersion } from "../package_root.ts";
import type { RunRecord, TimingRecord } from "../report/record.ts";
import type { SuiteOptions } from "./suite_options.ts";

/** First line of a report. */
export function runRecord(options: SuiteOptions, introduction: Introduction | undefined, version: string): RunRecord {
  return {
    record: "run",
    format: 1,
    suite: suiteVersion(),
    adapter: options.adapter.name,
    transport: options.adapter.transport,
    option: options.adapter.option,
    line: options.line ?? "",
    spec_version: version === "" ? null : version,
    implementation: introduction?.implementation ?? null,
    capabilities: introduction?.capabilities ?? [],
    choices: introduction?.choices ?? {},
    profile: options.profile?.name ?? null,
    seed: options.seed ?? null,
  };
}

/** Last line of a report: everything in which two runs may differ. */
export function timing(began: Date, cases: Record<string, number>): TimingRecord {
  return {
    record: "timing",
    started_at: began.toISOString(),
    duration_ms: Date.now() - began.getTime(),
    node: process.versions.node,
    platform: `${process.platform}-${process.arch}`,
    cases,
  };
}
