import { join } from "node:path";
import { expect, test } from "vitest";
import { query } from "../../../../test/legacy/legacy_database.ts";
import type { FieldTable } from "../patterns/field_patterns.ts";
import { freshFolder } from "../support/folder.ts";
import { migrate } from "../support/migrate.ts";
import { changingCopy } from "./changed_copy.ts";
import { addPatternsOfEveryKind } from "./patterns_of_every_kind.ts";

function library(ids: FieldTable["ids"]): string {
  const path = join(freshFolder(), "p.db");
  addPatternsOfEveryKind(path, ids);
  return path;
}

/** Migrates, and changes the backup just before the comparison. */
function migrateWith(path: string, change: string): ReturnType<typeof migrate> {
  return migrate(path, {
    invalidRows: "quarantine",
    nonFinite: "null",
    patternIds: "assign",
    onProgress: changingCopy(`${path}.v15.bak`, change),
  });
}

const IDS = ["key", "no row id"] as const satisfies FieldTable["ids"][];

test.each(IDS)("compares all patterns with the copy: %s", async (ids) => {
  expect(await migrateWith(library(ids), "SELECT 1")).toMatchObject({
    exit_code: 0,
    databases: [
      {
        verification: {
          other_tables: expect.arrayContaining([
            { table: "patterns", rows: 4, quarantined: 1, repaired: 2, changed_since: 0 },
          ]),
        },
      },
    ],
  });
});

const CHANGES = [
  ["a pattern that is missing", "INSERT INTO patterns (id, agent_id, pattern_type, name) VALUES ('x', 'a', 't', 'n')"],
  ["a pattern that did not exist", "DELETE FROM patterns WHERE id = 'p'"],
  ["a value that is another one", "UPDATE patterns SET name = 'x' WHERE id = 'p'"],
  ["another value of a repaired pattern", "UPDATE patterns SET name = 'x' WHERE id = 'repaired'"],
  ["another value of a pattern with a new id", "UPDATE patterns SET name = 'x' WHERE id = ''"],
  ["a repaired value whose original is not recorded", "UPDATE patterns SET context = '[NaN]' WHERE id = 'repaired'"],
  ["a new id whose original is not recorded", "UPDATE patterns SET id = 'x' WHERE id = ''"],
  ["a quarantined pattern that is another one", "UPDATE patterns SET name = 'x' WHERE id = 'left'"],
  ["usage of another pattern", "UPDATE pattern_usage SET pattern_id = 'repaired' WHERE pattern_id = 'p'"],
  ["usage of a pattern without a new id", "UPDATE pattern_usage SET pattern_id = 'repaired' WHERE pattern_id = ''"],
] as const;

test.each(IDS.flatMap((ids) => CHANGES.map(([what, change]) => [what, ids, change] as const)))(
  "finds %s: %s",
  async (_what, ids, change) => {
    const path = library(ids);
    expect(await migrateWith(path, change)).toMatchObject({
      exit_code: 1,
      databases: [{ status: "failed", reason: expect.stringContaining("The proof failed") }],
    });
    expect(query(path, "SELECT count(*) FROM patterns")).toEqual([[4n]]);
  },
);
