import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Level } from "@perdura/conformance";
import { describe, expect, it } from "vitest";
import { readCorpus } from "../../../packages/conformance/src/corpus/corpus.ts";
import { failedCases, judgeFault, type Evidence } from "../src/judge_fault.ts";
import { groups, suspects } from "../src/judge_together.ts";
import { pageNow } from "../src/page.ts";
import { readResults } from "../src/results.ts";
import { changedFiles, IMPLEMENTATIONS, readFaults, type SeededFault } from "../src/seeded_fault.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

describe.each(IMPLEMENTATIONS)("faults of $name", (implementation) => {
  const faults = readFaults(root, implementation);

  it("fit the present source, and change it", () => {
    for (const fault of faults)
      for (const [file, text] of changedFiles(join(root, implementation.folder), [fault]))
        expect(text, fault.name).not.toBe(readFileSync(join(root, implementation.folder, file), "utf8"));
  });

  it("have unique names", () => {
    expect(new Set(faults.map(({ name }) => name)).size).toBe(faults.length);
  });
});

describe("a mistake in a copy", () => {
  const python = IMPLEMENTATIONS.find(({ name }) => name === "python") as (typeof IMPLEMENTATIONS)[number];
  const file = join(root, python.folder, "agent_persistence_shared", "library_json.py");
  const named = (...names: string[]) => readFaults(root, python).filter(({ name }) => names.includes(name));
  /** A few cases: the results of all are in results.json. */
  const CASES: Partial<Record<Level, string[]>> = {
    must: ["patterns-json/field-names", "patterns-json/file-layout"],
    observe: ["patterns-json/load-version-look-alikes", "patterns-json/load-duplicate-ids"],
  };
  const judged = (name: string, last: Evidence = {}) =>
    judgeFault(root, python, named(name)[0] as SeededFault, last, (level) => CASES[level] ?? []);

  it("is judged by the strongest level, and the source stays unchanged", async () => {
    const before = readFileSync(file, "utf8");
    expect(await judged("version-1-1")).toEqual({ level: "must", case: "patterns-json/file-layout" });
    expect(readFileSync(file, "utf8")).toBe(before);
  });

  it("keeps the case that found it last time, unless a stronger one fails now", async () => {
    const known = { level: "must", case: "patterns-json/many" } as const;
    expect(await judged("pattern-count-counts-agents", known)).toEqual(known);
    const weaker = { level: "observe", case: "patterns-json/load-version-look-alikes" } as const;
    expect(await judged("version-1-1", weaker)).toEqual({ level: "must", case: "patterns-json/file-layout" });
  });

  it("is made together with others whose changes fit the same copy", () => {
    const fits = named("version-1-1", "saved-at-in-local-time", "saved-at-with-a-space");
    expect(groups(root, python, fits).map((group) => group.map(({ name }) => name))).toEqual([
      ["saved-at-in-local-time", "version-1-1"],
      ["saved-at-with-a-space"],
    ]);
  });

  it("can fail a stated case only if a group with it fails that case", async () => {
    const group = named("version-1-1", "saved-at-in-local-time");
    const candidates = await suspects(root, python, group, ["must"], (level) => CASES[level] ?? []);
    expect(candidates("must")).toEqual(["patterns-json/file-layout"]);
    expect(candidates("observe")).toEqual(CASES.observe);
  });
});

it("an implementation that does not start is an error, not a fault that nothing found", async () => {
  const started = failedCases([process.execPath, "-e", "0"], "16", ["patterns-json/field-names"]);
  await expect(started).rejects.toThrow(/^no case was run with /);
});

it("the page agrees with the results, and names a reason for each fault that nothing found", () => {
  const page = pageNow(root);
  expect(readFileSync(join(root, "dev", "faults", "README.md"), "utf8")).toBe(page);
  expect(page).not.toContain("no reason is known");
});

it("a fault of a kind that no case found once is found by a case that cites what it breaks", () => {
  const { cases, requirements } = readCorpus();
  const citedBy = new Map(cases.map((loaded) => [loaded.case.id, loaded.case.requirements]));
  const results = readResults(root);
  const faults = IMPLEMENTATIONS.flatMap((implementation) =>
    readFaults(root, implementation).map((fault) => ({
      ...fault,
      evidence: results[implementation.name]?.[fault.name],
    })),
  ).filter(({ breaks }) => breaks !== undefined);
  expect(faults.length).toBeGreaterThan(25);
  for (const { name, breaks, evidence } of faults) {
    expect(evidence?.level, name).toBe(requirements.get(breaks?.requirement ?? "")?.level);
    expect(citedBy.get(evidence?.case ?? ""), name).toContain(breaks?.requirement);
  }
});

it("a fault that does not fit the source is an error", () => {
  const unfit = { name: "unfit", edits: [{ file: "go.mod", from: "no such text", to: "" }] };
  expect(() => changedFiles(join(root, "examples", "go"), [unfit as never])).toThrow(
    'unfit: go.mod does not contain "no such text"',
  );
});
