import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { showReport } from "../../src/cli/render/report.ts";
import { paintFor } from "@perdura/cli/terminal.js";
import { migrate } from "../support/migrate.ts";
import { freshFolder } from "../support/folder.ts";
import { addRows, connect, DOCUMENTED_15, makeDatabase, query } from "../../../../test/legacy/legacy_database.ts";
import { schemaErrors } from "../support/report_schema.ts";

function database(...statements: string[]): { folder: string; path: string } {
  const folder = join(freshFolder(), "data");
  mkdirSync(folder);
  const path = join(folder, "m.db");
  makeDatabase(path, DOCUMENTED_15, ...statements);
  addRows(path, "interactions", 20);
  return { folder, path };
}

/** Changes the files just before the commit. */
const atCommit = (act: () => void): Parameters<typeof migrate>[1] => ({
  onProgress: ({ stage }) => (stage === "commit" ? act() : undefined),
});

test("a report that cannot be saved is shown with a note, with exit code 0", async () => {
  const { folder, path } = database();
  // The report is saved in the first target.
  const home = freshFolder();
  const report = await migrate(
    [home, folder],
    atCommit(() => rmSync(home, { recursive: true })),
  );
  expect(schemaErrors(report)).toEqual([]);
  expect(report).toMatchObject({ exit_code: 0, report_path: null, summary: "Done: 1 migrated." });
  const shown = showReport(report, paintFor({}, false), []);
  expect(shown).toMatch(/note: Cannot save the report: .*ENOENT/);
  expect(shown).not.toContain("Report:");
  expect(query(path, "SELECT count(level) FROM interactions")).toEqual([[20n]]);
});

test("reports a commit that succeeded in spite of an error as success", async () => {
  const { folder, path } = database();
  const report = await migrate(
    folder,
    // Without its journal SQLite cannot end the commit normally, but a rollback is not possible either.
    atCommit(() => rmSync(`${path}-journal`)),
  );
  expect(report).toMatchObject({
    exit_code: 0,
    databases: [{ status: "migrated", reason: null, notes: [expect.stringMatching(/may be lost in a power failure/)] }],
  });
  expect(query(path, "SELECT count(level) FROM interactions")).toEqual([[20n]]);
});

test("reports a commit with an unknown outcome as uncertain, and names the backup", async () => {
  const { folder, path } = database();
  const kept = join(freshFolder(), "kept");
  const report = await migrate(
    folder,
    atCommit(() => {
      // The journal cannot be removed: the next program that opens the database rolls the changes back.
      renameSync(`${path}-journal`, kept);
      mkdirSync(join(`${path}-journal`, "x"), { recursive: true });
    }),
  );
  expect(schemaErrors(report)).toEqual([]);
  expect(report).toMatchObject({ exit_code: 1, databases: [{ status: "uncertain" }] });
  expect(report.databases[0]?.reason).toMatch(/may have been committed.*m\.db\.v15\.bak/);
  expect(existsSync(`${path}.v15.bak`)).toBe(true);
  expect(report.summary).not.toContain("Nothing was changed");
});

test("changes nothing if the directory is moved before the commit", async () => {
  const { folder } = database("PRAGMA journal_mode = WAL");
  const moved = `${folder}-moved`;
  const report = await migrate(
    folder,
    atCommit(() => renameSync(folder, moved)),
  );
  expect(report).toMatchObject({ exit_code: 3, databases: [{ status: "refused" }], report_path: null });
  expect(query(join(moved, "m.db"), "SELECT count(empathy_level) FROM interactions")).toEqual([[20n]]);
});

test("an error of the caller before the commit changes nothing and reaches the caller", async () => {
  const { folder, path } = database();
  const run = migrate(folder, {
    onProgress: ({ stage }) => {
      if (stage === "verify") throw new Error("stopped here");
    },
  });
  await expect(run).rejects.toThrow("stopped here");
  expect(query(path, "SELECT count(empathy_level) FROM interactions")).toEqual([[20n]]);
});

test("rolls back a commit that a reader prevents, and inspects the database again", async () => {
  const { folder, path } = database();
  const reader = connect(path, { readonly: true });
  const report = await migrate(folder, {
    busyTimeoutMs: 50,
    ...atCommit(() => {
      reader.exec("BEGIN");
      reader.prepare("SELECT count(*) FROM interactions").get();
    }),
  });
  reader.close();
  expect(report).toMatchObject({ exit_code: 5, databases: [{ status: "in_use" }] });
  expect(query(path, "SELECT count(empathy_level) FROM interactions")).toEqual([[20n]]);
});
