import { expect, it } from "vitest";
import { loadProfile } from "../../src/corpus/load_profile.ts";
import { implementationAdapter } from "../../src/implementations.ts";
import type { Channel } from "../../src/protocol/channel.ts";
import { commandAdapter } from "../../src/protocol/stdio.ts";
import type { ReportRecord } from "../../src/results/record.ts";
import { inOrder } from "../../src/runner/judge_cases.ts";
import { MistypedChoice } from "../../src/runner/suite_options.ts";
import { fakeAdapter, runnerCorpus } from "../fake_adapter.ts";
import { runWithLongTimeout } from "../long_timeout_suite.ts";

/** A report without the only record that differs between two runs. */
const lasting = (records: readonly ReportRecord[]) =>
  records.filter((record) => record.record !== "timing").map((record) => JSON.stringify(record));

it("two runs give the same report except for the timing", async () => {
  const corpus = runnerCorpus("valid-fail");
  const run = () => runWithLongTimeout({ adapter: fakeAdapter("crash in a call"), corpus });
  const [first, second] = [await run(), await run()];
  expect(lasting(first.records)).toEqual(lasting(second.records));
  expect(first.records.at(-1)).toMatchObject({ record: "timing", cases: expect.anything() });
});

it("no report contains the random name of a sandbox", async () => {
  const { records } = await runWithLongTimeout({
    adapter: fakeAdapter("names its place"),
    corpus: runnerCorpus("valid-pass"),
  });
  expect(JSON.stringify(records)).toContain("<sandbox>/runner--");
  expect(JSON.stringify(records)).not.toMatch(/perdura-conformance-\w{6}/);
});

it("the number of workers and the order do not change the verdicts", async () => {
  const corpus = runnerCorpus("valid-fail");
  const run = (more: object) => runWithLongTimeout({ adapter: fakeAdapter(), corpus, ...more });
  const one = await run({});
  for (const options of [{ workers: 3 }, { seed: 7 }, { workers: 2, seed: 99 }]) {
    const other = await run(options);
    expect(other.cases).toEqual(one.cases);
  }
});

it("every worker judges cases with its own adapter, and ends it", async () => {
  const adapter = fakeAdapter();
  const corpus = runnerCorpus("valid-pass", ["expected-errors", "observed", "round-trip", "variables"]);
  const [called, ended] = [new Set<Channel>(), new Set<Channel>()];
  const connect = async (): Promise<Channel> => {
    const channel = await adapter.connect();
    return {
      exchange(line, timeoutMs) {
        if (line.includes('"call"')) called.add(channel);
        return channel.exchange(line, timeoutMs);
      },
      diagnostics: () => channel.diagnostics(),
      kill: () => channel.kill(),
      close() {
        ended.add(channel);
        return channel.close();
      },
    };
  };
  await runWithLongTimeout({ adapter: { ...adapter, connect }, corpus, workers: 2 });
  expect([called.size, ended.size]).toEqual([2, 2]);
});

it("the order depends only on the seed", () => {
  const items = Array.from({ length: 50 }, (_, index) => ({ case: { id: `area/${String(index).padStart(2, "0")}` } }));
  expect(inOrder(items, null)).toEqual(items);
  expect(inOrder(items, 3)).toEqual(inOrder(items, 3));
  expect(inOrder(items, 3)).not.toEqual(inOrder(items, 4));
  expect(inOrder(items, 3)).not.toEqual(items);
  expect(inOrder(items, 3).toSorted((a, b) => (a.case.id < b.case.id ? -1 : 1))).toEqual(items);
});

it("every worker restarts its own adapter, and no finished result is lost", async () => {
  const { summary, cases } = await runWithLongTimeout({
    adapter: fakeAdapter("crash in a call"),
    corpus: runnerCorpus("valid-pass"),
    workers: 2,
  });
  expect(cases.map((record) => record.id)).toEqual(cases.map((record) => record.id).toSorted());
  expect(summary.counts.crash).toBeGreaterThan(1);
  expect(summary.counts["not-run"]).toBe(0);
});

it("a crash shows what the adapter wrote to stderr, and other results stay", async () => {
  const { cases, summary } = await runWithLongTimeout({
    adapter: fakeAdapter("crash in a call"),
    corpus: runnerCorpus("valid-pass", ["expected-errors", "needs-sqlite", "observed", "other-version"]),
  });
  expect(cases[0]?.diagnostics).toContain("crash in a call");
  expect(summary.counts).toMatchObject({ crash: 2, unsupported: 1, inapplicable: 1 });
});

it("an adapter that does not restart leaves the remaining cases not run, and keeps finished results", async () => {
  const { summary } = await runWithLongTimeout({
    adapter: fakeAdapter("comes up once"),
    corpus: runnerCorpus("valid-pass"),
  });
  expect(summary.counts.crash).toBe(1);
  expect(summary.counts["not-run"]).toBeGreaterThan(1);
  expect(summary.notes.join()).toContain("did not restart after runner/");
});

it("several workers require an adapter command", async () => {
  await expect(runWithLongTimeout({ adapter: implementationAdapter("perdura-16"), workers: 2 })).rejects.toThrow(
    /in this process/,
  );
  await expect(runWithLongTimeout({ adapter: commandAdapter("true"), workers: 0 })).rejects.toThrow(
    /whole number of at least 1/,
  );
});

it("writing outside the case's directory counts at every level and prevents conformance", async () => {
  const { cases, summary } = await runWithLongTimeout({
    adapter: fakeAdapter("writes outside"),
    corpus: runnerCorpus("valid-pass", ["expected-errors", "strays-in-a-question"]),
  });
  expect(cases[1]).toMatchObject({ verdict: "fail", scored: true, level: "observe", failures: [{ check: "sandbox" }] });
  expect(summary).toMatchObject({ exit_code: 4, conformant: false });
});

it("a case that depends on an undeclared ruling is inapplicable", async () => {
  const run = async (fault: string) =>
    (await runWithLongTimeout({ adapter: fakeAdapter(fault), corpus: runnerCorpus("valid-pass", ["assuming"]) }))
      .cases[0];
  expect(await run("none")).toMatchObject({ verdict: "inapplicable", reason: expect.stringContaining("U-order") });
  expect(await run("declares order")).toMatchObject({ verdict: "pass" });
});

it.each([
  ["unknown choice", "U-oder is not an open question. Did you mean U-order?"],
  ["mistyped answer", 'U-order has no answer "rulled". Did you mean ruled?'],
])("refuses an %s of the adapter, with a suggestion", async (fault, message) => {
  const corpus = runnerCorpus("valid-pass", ["round-trip"]);
  const judged = runWithLongTimeout({ adapter: fakeAdapter(fault), corpus });
  await expect(judged).rejects.toThrow(MistypedChoice);
  await expect(judged).rejects.toThrow(message);
});

it("runs the adapter in a zone other than UTC", async () => {
  const corpus = runnerCorpus("valid-pass", ["round-trip"]);
  const zone = await runWithLongTimeout({ adapter: fakeAdapter("tells its zone"), corpus });
  expect(JSON.stringify(zone.records)).toContain("America/New_York");
});

it("a profile judges by a part, and names the cases outside", async () => {
  const { summary, cases } = await runWithLongTimeout({
    adapter: implementationAdapter("perdura-15"),
    profile: loadProfile("state"),
  });
  expect(summary).toMatchObject({ conformant: true, exit_code: 0, profile: "state" });
  expect(cases.find((record) => record.id === "state/delete")?.verdict).toBe("pass");
  const outside = cases.filter((record) => record.outside_profile);
  expect(outside.length).toBeGreaterThan(50);
  expect(outside.every((record) => record.verdict === "not-run")).toBe(true);
});

it("an unknown profile is refused with the list of profiles", () => {
  expect(() => loadProfile("everything")).toThrow(/no profile "everything": expected json, /);
});

it("unknown names are refused with similar ones", async () => {
  const run = (more: object) => runWithLongTimeout({ adapter: implementationAdapter("perdura-16"), ...more });
  await expect(run({ cases: ["metrics/rnge", "metrics/range"] })).rejects.toThrow(/no case "metrics\/rnge".*metrics/);
  await expect(run({ areas: ["metric"] })).rejects.toThrow(/no area "metric"/);
  await expect(run({ requirements: ["R-0"] })).rejects.toThrow(/no requirement "R-0"/);
});

it("a pattern selects cases, leaves cases out, and must fit at least one", async () => {
  const run = (more: object) => runWithLongTimeout({ adapter: implementationAdapter("perdura-16"), ...more });
  const idsThatRan = async (more: object) =>
    (await run(more)).cases.filter(({ verdict }) => verdict === "pass").map(({ id }) => id);
  const all = await idsThatRan({ areas: ["versioning"] });
  expect(await idsThatRan({ cases: ["versioning/*"] })).toEqual(all);
  const imports = all.filter((id) => id.includes("import"));
  expect(imports.length).toBeGreaterThan(1);
  expect(await idsThatRan({ cases: ["*sioning/*import*"] })).toEqual(imports);
  expect(await idsThatRan({ areas: ["versioning"], skip: ["*import*", "versioning/modules"] })).toEqual(
    all.filter((id) => !imports.includes(id) && id !== "versioning/modules"),
  );
  await expect(run({ cases: ["versoning/*"] })).rejects.toThrow(/no case "versoning\/\*"/);
  await expect(run({ skip: ["nothing*"] })).rejects.toThrow(/no case "nothing\*"/);
  await expect(run({ areas: ["metric"] })).rejects.toThrow(/Did you mean metrics\? The areas are configuration, /);
});

it("a section selects cases with and without the R of the ids", async () => {
  const idsThatRan = async (requirement: string) =>
    (await runWithLongTimeout({ adapter: implementationAdapter("perdura-16"), requirements: [requirement] })).cases
      .filter(({ verdict }) => verdict === "pass")
      .map(({ id }) => id);
  const rows = await idsThatRan("2.3");
  expect(rows).toContain("patterns-sqlite/index-agent");
  expect(await idsThatRan("R-2.3")).toEqual(rows);
});
