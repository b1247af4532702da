import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { parseJson } from "@perdura/internals/json/parse.js";
import { PATTERN_FIELDS } from "@perdura/internals/validity/pattern_fields.js";
import { type PatternLibrary, PatternPersistence } from "@perdura/v16";
import fc from "fast-check";
import { expect, test } from "vitest";
import { downgradeMigration, migrationStatus, planMigration, verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { RUNS } from "../properties/runs.ts";
import { freshFolder } from "../support/folder.ts";
import { documents, optionsOf } from "./random_documents.ts";

type Patterns = Record<string, unknown>[];

/** The patterns of a document as a program of the time read them, with the tokens `NaN` and `Infinity`. */
const patternsOf = (text: string): Patterns =>
  (parseJson(text.replace("\ufeff", ""), "number") as { patterns: Patterns }).patterns;

const load = (path: string): PatternLibrary => PatternPersistence.loadFromJson(path);

/** Changes that a program makes before it saves a library. */
const uses = fc.record({
  used: fc.array(fc.nat(9), { maxLength: 3 }),
  renamed: fc.option(fc.nat(9), { nil: undefined }),
  deleted: fc.option(fc.nat(9), { nil: undefined }),
  contributed: fc.constantFrom(undefined, "new", "p0", "pattern-1"),
});

test("down restores what the migration changed, also if 16 has saved the library since; changes of 16 stay", async () => {
  const outcomes = { quarantined: 0, repaired: 0, conflicts: 0 };
  await fc.assert(
    fc.asyncProperty(documents, uses, fc.nat(), async ({ text }, { used, renamed, deleted, contributed }, pick) => {
      const path = join(freshFolder(), "library.json");
      writeFileSync(path, text);
      const { databases } = await planMigration(path);
      const choices = databases[0]?.pattern_choices ?? [];
      fc.pre(databases[0]?.status === "refused" && choices.length > 0);
      const choice = choices[pick % choices.length] as (typeof choices)[number];
      const options = optionsOf(choice);
      expect(await migrate(path, options)).toMatchObject({ exit_code: 0, databases: [{ status: "migrated" }] });
      const library = load(path);
      const ids = [...library.patterns.keys()];
      for (const at of used) if (at < ids.length) library.recordUsage(ids[at] as string, "user", true);
      const changed = library.patterns.get(ids[renamed ?? -1] ?? "");
      if (changed !== undefined) changed.name = "renamed";
      if (deleted !== undefined) library.patterns.delete(ids[deleted] ?? "");
      const isNew = contributed !== undefined && !library.patterns.has(contributed);
      if (isNew) library.contribute("a", { id: contributed, pattern_type: "t", name: "contributed" });
      const isUnused = used.length === 0 && [changed, deleted, contributed].every((each) => each === undefined);
      PatternPersistence.saveToJson(library, path);
      const saved = readFileSync(path, "utf8");

      const verified = await verifyMigration(path);
      expect(verified).toMatchObject({ exit_code: 0, databases: [{ status: "verified" }] });
      const [compared] = verified.databases[0]?.verification?.other_tables ?? [];
      expect(compared?.rows).toBe(patternsOf(text).length);
      const status = await migrationStatus(path);
      expect(status.databases[0]?.status).toBe("migrated");
      expect(readFileSync(path, "utf8")).toBe(saved);
      const [report] = (await downgradeMigration(path, { saveReport: false })).databases;
      const now = readFileSync(path, "utf8");
      const [before, after] = [patternsOf(text), patternsOf(now)];
      if (isNew) expect(after).toContainEqual(patternsOf(saved).find(({ id }) => id === contributed));
      const conflicts = report?.notes.filter((note) => note.includes("stays in the backup")).length ?? 0;
      if (report?.status === "downgraded") {
        outcomes.quarantined += compared?.quarantined ?? 0;
        outcomes.repaired += compared?.repaired ?? 0;
        outcomes.conflicts += conflicts;
        expect(readFileSync(`${path}.v16.bak`, "utf8")).toBe(saved);
        const back = after.length - patternsOf(saved).length;
        if (isUnused) expect(back).toBe(choice.quarantined);
        else if (conflicts === 0) expect(back).toBeGreaterThanOrEqual(choice.quarantined);
      } else expect(now).toBe(saved);
      if (isUnused) expect(before.filter((pattern) => !after.some((other) => hasValuesOf(other, pattern)))).toEqual([]);
      const second = await downgradeMigration(path, { saveReport: false });
      expect(second).toMatchObject({ exit_code: 0 });
      expect(readFileSync(path, "utf8")).toBe(now);
      if (report?.status !== "downgraded") return;
      expect(await verifyMigration(path)).toMatchObject({ exit_code: 0, databases: [{ status: "verified" }] });
      expect((await migrate(path, options)).exit_code).toBe(0);
    }),
    { numRuns: 60 * RUNS },
  );
  for (const count of Object.values(outcomes)) expect(count).toBeGreaterThan(0);
});

test.each([
  ["with the time of its discovery", "changed", "2025-01-15 10:30:00", "NaN"],
  ["with its name, without such a time", "n", undefined, "NaN"],
  ["but not a new pattern with its id", "changed", undefined, "0.5"],
])("down gives a repaired pattern its invalid value back: %s", async (_which, name, discovered_at, confidence) => {
  const path = join(freshFolder(), "library.json");
  const pattern = { id: "p", agent_id: "a", pattern_type: "t", name: "n", discovered_at };
  writeFileSync(path, `{"patterns": [${JSON.stringify(pattern).replace("}", ', "confidence": NaN}')}]}`);
  expect(await migrate(path, { nonFinite: "null" })).toMatchObject({ exit_code: 0 });
  const library = load(path);
  (library.patterns.get("p") as { name: string }).name = name;
  PatternPersistence.saveToJson(library, path);
  await downgradeMigration(path, { saveReport: false });
  expect(readFileSync(path, "utf8")).toContain(`"confidence": ${confidence}`);
});

/** True for a pattern with all values of another; version 16 writes defaults for null, and no further fields. */
const hasValuesOf = (other: Record<string, unknown>, pattern: Record<string, unknown>): boolean =>
  PATTERN_FIELDS.every(
    (field) =>
      pattern[field] === undefined || pattern[field] === null || isDeepStrictEqual(other[field], pattern[field]),
  );

test("contributions follow patterns that get their former ids", async () => {
  const path = join(freshFolder(), "library.json");
  const pattern = (id: unknown, agent: string): object => ({ id, agent_id: agent, pattern_type: "t", name: agent });
  const contributions = { a: [7, "x"], b: ["x", 8, "é"] };
  const patterns = [pattern(7, "a"), pattern("x", "a"), pattern("x", "b"), pattern(8, "b"), pattern("é", "b")];
  writeFileSync(path, JSON.stringify({ patterns, agent_contributions: contributions }));
  expect(await migrate(path, { patternIds: "assign" })).toMatchObject({ exit_code: 0 });
  const library = load(path);
  expect(Object.fromEntries(library.agentContributions)).toEqual({ a: ["7", "x"], b: ["x-2", "8", "é"] });
  PatternPersistence.saveToJson(library, path);
  expect(await verifyMigration(path)).toMatchObject({ exit_code: 0, databases: [{ status: "verified" }] });
  expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0 });
  const now = JSON.parse(readFileSync(path, "utf8")) as { patterns: { id: unknown }[]; agent_contributions: object };
  expect(now.patterns.map(({ id }) => id)).toEqual(patterns.map((each) => (each as { id: unknown }).id));
  expect(now.agent_contributions).toEqual(contributions);
});
