import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type MigrationOptions, verifyMigration } from "../../src/index.ts";
import { freshFolder } from "../support/folder.ts";
import { addRows, FIELD_A, makeDatabase } from "../../../../test/legacy/legacy_database.ts";
import { expectAllThere, migrateWhenFree } from "./expect_all_there.ts";
import { HAS_PYTHON, startNode, startPython, type Writer } from "./writer.ts";

const FENCE_TEXT = "migrated to version 16";

/** Starts a program on a database, by the name of its user. */
type Start = (path: string, name: string) => Writer;
const python =
  (layout: "a" | "b"): Start =>
  (path, name) =>
    startPython(layout, path, name);
const node: Start = (path, name) => startNode("record_field_a", path, name);

/** Lets programs record during the migration of a database, and some time after. */
async function migrateUnder(
  starts: Record<string, Start>,
  path: string,
  options: MigrationOptions,
): Promise<Record<string, Writer>> {
  const writers = Object.fromEntries(Object.entries(starts).map(([name, start]) => [name, start(path, name)]));
  const all = Object.values(writers);
  await Promise.all(all.map((writer) => writer.more(5)));
  expect(await migrateWhenFree(path, options)).toMatchObject({ exit_code: 0, databases: [{ status: "migrated" }] });
  await Promise.all(all.map((writer) => writer.more(5)));
  await Promise.all(all.map((writer) => writer.end()));
  return writers;
}

function database(journal: string, schema: string): string {
  const path = join(freshFolder(), "metrics.db");
  makeDatabase(path, `PRAGMA journal_mode = ${journal}`, schema);
  return path;
}

const usual = (number: number): number => (number % 5) + 1;

describe.each(["delete", "wal"])(
  "field programs that record during the migration of their database (%s)",
  (journal) => {
    const starts: Record<string, Start> = HAS_PYTHON
      ? { one: python("a"), two: python("a"), three: node }
      : { one: node, two: node };

    test.each(["tombstone", "none"] as const)(
      "lose no row; with the fence %s they fail with an error",
      async (fence) => {
        const path = database(journal, FIELD_A);
        addRows(path, "metrics", 200);
        const writers = await migrateUnder(starts, path, { fence });
        for (const { failure } of Object.values(writers))
          expect(failure).toContain(fence === "none" ? "no such table" : FENCE_TEXT);
        expectAllThere(path, writers, usual);
        expect((await verifyMigration(path)).exit_code).toBe(0);
      },
    );
  },
);
