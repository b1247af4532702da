import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { alsoFound, readAlsoFound } from "../src/also_found.ts";
import { casesWithoutMutant, judgeMutant, requirementsWithoutMutant } from "../src/judge_mutant.ts";
import { MUTANTS } from "../src/mutants/all.ts";
import { readCorpus } from "../../../packages/conformance/src/corpus/corpus.ts";
import { loadAdapter } from "../../../packages/conformance/src/implementations.ts";
import { inProcessAdapter } from "../../../packages/conformance/src/protocol/in_process.ts";
import { mutate } from "../src/mutants/mutations.ts";
import type { Mutant } from "../src/mutants/mutations.ts";
import { mutantId } from "../src/mutant_id.ts";
import { follows } from "../src/mutants/trend_mutations.ts";
import { runWithLongTimeout } from "../../../packages/conformance/test/long_timeout_suite.ts";

// A case that cannot be read fails this file once, and not each mutant.
readCorpus();

/** A tenth of the mutants; all with PERDURA_RUNS=10. */
const APART = Math.max(1, Math.round(10 / Number(process.env["PERDURA_RUNS"] ?? 1)));
const SOME_MUTANTS = MUTANTS.filter((_, index) => index % APART === 0);

describe("mutants", () => {
  it.each(MUTANTS)("the suite finds that line $line $name", async (mutant) => {
    const { record, notes } = await judgeMutant(mutant);
    // A crash proves nothing.
    expect(record.verdict, record.reason ?? notes.join("; ")).toBe("fail");
    expect(record.requirements).toContain(mutant.requirement);
  });

  it.each(SOME_MUTANTS)(
    "of the cases of its requirement, only the listed ones find that line $line $name",
    async (mutant) => {
      expect(await alsoFound(mutant)).toEqual(readAlsoFound()[mutantId(mutant)] ?? []);
    },
  );

  it("have all mutants of the list of those that further cases find", () => {
    const ids = new Set(MUTANTS.map(mutantId));
    expect(Object.keys(readAlsoFound()).filter((id) => !ids.has(id))).toEqual([]);
  });

  it("exist for every scored requirement, and every case kills one", () => {
    expect(requirementsWithoutMutant()).toEqual([]);
    expect(casesWithoutMutant()).toEqual([]);
  });

  it.each(["perdura-15", "perdura-16"] as const)("of trends change one of the rules that %s follows", async (name) => {
    const adapter = inProcessAdapter(name, async () => mutate(await loadAdapter(name), follows({})));
    const { cases } = await runWithLongTimeout({ adapter, areas: ["trends"] });
    const trends = cases.filter(({ id }) => id.startsWith("trends/"));
    expect(trends.length).toBeGreaterThan(20);
    expect(trends.filter(({ verdict }) => verdict !== "pass")).toEqual([]);
  });

  it("have unique ids", () => {
    const ids = MUTANTS.map(mutantId);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  const folder = new URL("../src/mutants/", import.meta.url);
  it.each(readdirSync(folder).filter((file) => file !== "all.ts" && !file.endsWith("mutations.ts")))(
    "of %s are all collected",
    async (file) => {
      const module = (await import(new URL(file, folder).href)) as Record<string, readonly Mutant[]>;
      const rows = Object.values(module).flat();
      expect(rows.length).toBeGreaterThan(0);
      for (const row of rows) expect(MUTANTS).toContain(row);
    },
  );
});
