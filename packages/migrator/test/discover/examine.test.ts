import { closeSync, openSync, statSync, truncateSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { assertUndamagedInBackground } from "../../src/database/inspect/examine.ts";
import { planMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { settingsFrom } from "../../src/commands/settings.ts";
import { Session } from "../../src/commands/session.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import {
  addRows,
  connect,
  DOCUMENTED_15,
  FIELD_A,
  makeDatabase,
  query,
} from "../../../../test/legacy/legacy_database.ts";

function database(schema: string, table: "interactions" | "metrics", rows: number): string {
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, schema);
  addRows(path, table, rows);
  return path;
}

/** Larger than what is checked in this process. */
const LARGE = 450_000;

/** Calls a function just before the lock is taken. */
const beforeLock = (act: () => void): Parameters<typeof migrate>[1] => ({
  onProgress: ({ stage }) => (stage === "lock" ? act() : undefined),
});

describe.each([
  ["a rollback journal", "DELETE"],
  ["a write-ahead log", "WAL"],
])("with %s, what another program wrote since the plan", (_what, mode) => {
  test("is inspected again: valid new rows are migrated", async () => {
    const path = database(`PRAGMA journal_mode = ${mode}; ${DOCUMENTED_15}`, "interactions", 50);
    const report = await migrate(
      path,
      beforeLock(() => addRows(path, "interactions", 7)),
    );
    expect(report).toMatchObject({
      exit_code: 0,
      databases: [{ tables: [{ rows: 57 }], verification: { rows_before: 57, rows_after: 57 } }],
    });
  });

  test("stops the migration if new rows are invalid", async () => {
    const path = database(`PRAGMA journal_mode = ${mode}; ${FIELD_A}`, "metrics", 50);
    const report = await migrate(
      path,
      beforeLock(() => makeDatabase(path, "UPDATE metrics SET empathy_level = 9 WHERE id = 3")),
    );
    expect(report).toMatchObject({
      exit_code: 3,
      databases: [{ status: "refused", unusual_rows: [{ kind: "level_out_of_range", rows: 1 }] }],
    });
    expect(query(path, "SELECT count(*) FROM metrics")).toEqual([[50n]]);
  });
});

describe("checks a large database in a helper process", () => {
  test("finds no fault", async () => {
    const path = database(DOCUMENTED_15, "interactions", LARGE);
    expect(statSync(path).size).toBeGreaterThan(32 << 20);
    const run = new Session(settingsFrom());
    const request = { path, intent: "copy", busyTimeoutMs: 100, faults: 3 } as const;
    expect(await run.checks.ask(request)).toEqual([]);
    run[Symbol.dispose]();
    expect(await planMigration(path)).toMatchObject({ exit_code: 0, databases: [{ status: "planned" }] });
  });

  test("finds damage outside of the rows", async () => {
    const path = database(DOCUMENTED_15, "interactions", LARGE);
    const [[root, size]] = query<[bigint, bigint]>(
      path,
      "SELECT rootpage, (SELECT page_size FROM pragma_page_size) FROM sqlite_schema WHERE name = 'idx_interactions_timestamp'",
    ) as [[bigint, bigint]];
    const file = openSync(path, "r+");
    writeSync(file, Buffer.alloc(200, 0x7f), 0, 200, Number((root - 1n) * size) + 20);
    closeSync(file);
    const before = stampOf(join(path, ".."));
    expect(await migrate(path)).toMatchObject({
      exit_code: 3,
      databases: [{ status: "refused", reason: expect.stringMatching(/^The database is damaged \(/) }],
    });
    expect(stampOf(join(path, ".."))).toBe(before);
  });

  test("falls back to this process if the helper fails", async () => {
    const path = join(freshFolder(), "none.db");
    writeFileSync(path, "no database");
    truncateSync(path, 40 << 20);
    const run = new Session(settingsFrom());
    const connection = connect(":memory:");
    await assertUndamagedInBackground(connection, { path, intent: "copy" }, run);
    connection.close();
    run[Symbol.dispose]();
  });
});
