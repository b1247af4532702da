import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, it } from "vitest";
import { PatternLibrary } from "../../src/patterns/library.ts";
import { loadLibraryFromSqlite } from "../../src/patterns/sqlite_load.ts";
import { saveLibraryToSqlite } from "../../src/patterns/sqlite_save.ts";
import { freshFolder } from "../../../../test/fresh_folder.ts";

/** A library of four patterns, the first of which contains the replacement character. */
function library(): string {
  const patterns = new PatternLibrary();
  for (const id of ["a", "b", "c", "d"])
    patterns.contribute("agent", { id, pattern_type: "t", name: id === "a" ? "\ufffd" : id });
  const path = join(freshFolder(), "p.db");
  saveLibraryToSqlite(patterns, path);
  return path;
}

it("loads text that contains U+FFFD", () => {
  expect(loadLibraryFromSqlite(library()).get("a")?.name).toBe("\ufffd");
});

it("refuses a row whose text is not UTF-8", () => {
  const path = library();
  const database = new Database(path);
  database.exec("UPDATE patterns SET name = CAST(x'61ff' AS TEXT) WHERE id = 'a'");
  database.close();
  expect(() => loadLibraryFromSqlite(path)).toThrow(
    expect.objectContaining({
      name: "CorruptDataError",
      message: expect.stringContaining("text that is not UTF-8") as string,
    }),
  );
});

it("reports a damaged database if a row is not found by its key", () => {
  const path = library();
  const database = new Database(path);
  const page = database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'patterns'").pluck().get() as number;
  database.close();
  const bytes = readFileSync(path);
  const start = (page - 1) * bytes.readUInt16BE(16);
  let cell = start + bytes.readUInt16BE(start + 8);
  // The key follows the length of the row (seven bits per byte): it becomes larger than the next keys.
  while ((bytes.readUInt8(cell) & 0x80) !== 0) cell += 1;
  expect(bytes.readUInt8(cell + 1)).toBe(1);
  bytes.writeUInt8(9, cell + 1);
  writeFileSync(path, bytes);
  expect(() => loadLibraryFromSqlite(path)).toThrow(
    expect.objectContaining({
      name: "CorruptDataError",
      message: expect.stringContaining("the row cannot be found by its key: the database is damaged") as string,
    }),
  );
});
