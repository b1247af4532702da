import { join } from "node:path";
import { expect, it } from "vitest";
import { PATTERN_FIELDS } from "../../src/validity/pattern_fields.ts";
import { loadLibraryFromSqlite } from "../../src/patterns/sqlite_load.ts";
import { saveLibraryToSqlite } from "../../src/patterns/sqlite_save.ts";
import { freshFolder } from "../../../../test/fresh_folder.ts";
import { change, library } from "./libraries.ts";

it.each([
  ["patterns", "updated_at"],
  ["patterns", "tags"],
  ["pattern_usage", "used_at"],
  ["pattern_usage", "success"],
  ["pattern_usage", "agent_id"],
])("refuses to save if the table %s has no column %s", (table, column) => {
  const path = join(freshFolder(), "p.db");
  saveLibraryToSqlite(library("a"), path);
  change(path, `ALTER TABLE ${table} DROP COLUMN ${column}`);
  const save = (): unknown => saveLibraryToSqlite(library("a"), path);
  expect(save).toThrow(new RegExp(`^${path}: .*"${table}".*${column}`));
  expect(save).toThrow(expect.objectContaining({ name: "CorruptDataError", path }));
});

it("refuses to save if ids are not unique", () => {
  const path = join(freshFolder(), "p.db");
  saveLibraryToSqlite(library(), path);
  change(path, "CREATE TABLE copy AS SELECT * FROM patterns; DROP TABLE patterns; ALTER TABLE copy RENAME TO patterns");
  const save = (): unknown => saveLibraryToSqlite(library("a"), path);
  expect(save).toThrow(expect.objectContaining({ name: "CorruptDataError", path }));
  expect(save).toThrow(/has no unique key on "id"/);
});

it.each([
  ["rowid", "row 1"],
  ["its key", 'row "a"'],
])("names an invalid row by %s", (kind, place) => {
  const path = join(freshFolder(), "my.p.db");
  saveLibraryToSqlite(library("a"), path);
  if (kind !== "rowid") {
    const [id, ...others] = [...PATTERN_FIELDS, "updated_at"];
    change(
      path,
      `CREATE TABLE other (${id} TEXT NOT NULL PRIMARY KEY, ${others.join(", ")}) WITHOUT ROWID;
       INSERT INTO other SELECT * FROM patterns; DROP TABLE patterns; ALTER TABLE other RENAME TO patterns`,
    );
  }
  const at = `${path}: table "patterns", ${place}`;
  const wrong = (sql: string): (() => unknown) => {
    change(path, `UPDATE patterns SET ${sql}`);
    return () => loadLibraryFromSqlite(path);
  };
  expect(wrong("confidence = 'high'")).toThrow(`${at}: confidence: expected number or null, got "high".`);
  expect(wrong("confidence = 1, context = '{'")).toThrow(`${at}: context: 1:2: not valid JSON: `);
  expect(wrong("context = '{'")).toThrow(/ the end of the text: "\{"\.$/);
  expect(wrong("context = x'7b7d'")).toThrow(`${at}: context: expected JSON text, got `);
});
