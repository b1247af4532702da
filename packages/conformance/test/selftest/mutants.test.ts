import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { checkMutants, coverageFaults } from "../../src/selftest/check_mutants.ts";
import { MUTANTS } from "../../src/selftest/mutants/all.ts";
import type { Mutant } from "../../src/selftest/mutants/mutations.ts";

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
