import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { checkMutants, coverageFaults } from "../../src/selftest/check_mutants.ts";
import { MUTANTS } from "../../src/selftest/mutants/all.ts";
import { LINE_IMPLEMENTATIONS, loadAdapter } from "../../src/implementations.ts";
import { inProcessAdapter } from "../../src/protocol/in_process.ts";
import { mutate } from "../../src/selftest/mutants/mutations.ts";
import type { Mutant } from "../../src/selftest/mutants/mutations.ts";
import { follows } from "../../src/selftest/mutants/trend_mutations.ts";
import { runWithLongTimeout } from "../long_timeout_suite.ts";

describe("mutants", () => {
  it("are all killed by their named cases", async () => {
    const survivors: unknown[] = [];
    let checked = 0;
    for await (const { name, fault } of checkMutants()) {
      checked += 1;
      if (fault !== undefined) survivors.push([name, fault]);
    }
    expect(survivors).toEqual([]);
    expect(checked).toBe(MUTANTS.length);
  });

  it("exist for every scored requirement, and every case kills one", () => {
    expect(coverageFaults().filter(({ fault }) => fault !== undefined)).toEqual([]);
  });

  it.each(LINE_IMPLEMENTATIONS)("of trends change one of the rules that %s follows", async (name) => {
    const adapter = inProcessAdapter(name, async () => mutate(await loadAdapter(name), follows({})));
    const { cases } = await runWithLongTimeout({ adapter, areas: ["trends"] });
    const trends = cases.filter(({ id }) => id.startsWith("trends/"));
    expect(trends.length).toBeGreaterThan(20);
    expect(trends.filter(({ verdict }) => verdict !== "pass")).toEqual([]);
  });

  it("have unique names", () => {
    const names = MUTANTS.map(({ name, line, kills }) => `${name} | ${line} | ${kills}`);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  const folder = new URL("../../src/selftest/mutants/", import.meta.url);
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
