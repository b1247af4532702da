import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, it } from "vitest";
import type { InvalidPattern } from "../../src/patterns/invalid_patterns.ts";
import { loadLibraryFromSqlite } from "../../src/patterns/sqlite_load.ts";
import { saveLibraryToSqlite } from "../../src/patterns/sqlite_save.ts";
import { freshFolder } from "../../../../test/fresh_folder.ts";
import { change, library } from "./libraries.ts";

/** More patterns than are read together. */
const IDS = Array.from({ length: 250 }, (_, index) => `id ${String(index).padStart(3, "0")}`);

/** A database of these patterns that another program has changed. */
function changed(sql: string): string {
  const path = join(freshFolder(), "p.db");
  saveLibraryToSqlite(library(...IDS), path);
  change(path, sql);
  return path;
}

function invalidOf(path: string): { loaded: number; invalid: InvalidPattern[] } {
  const invalid: InvalidPattern[] = [];
  const { size } = loadLibraryFromSqlite(path, { onInvalid: (one) => void invalid.push(one) });
  return { loaded: size, invalid };
}

/** The last id is broken, and so are some ids between others. */
const BREAK = "UPDATE patterns SET name = CAST(x'ff' AS TEXT) WHERE id IN ('id 001', 'id 120', 'id 121', 'id 249')";

it("names each invalid row by its row id, also those beyond 2^53", () => {
  const path = changed(
    `UPDATE patterns SET rowid = 9223372036854775557 + rowid; ${BREAK}; UPDATE patterns SET context = '{' WHERE id = 'id 122'`,
  );
  const { loaded, invalid } = invalidOf(path);
  expect(loaded).toBe(IDS.length - 5);
  const database = new Database(path, { readonly: true });
  const placeOf = database.prepare("SELECT 'row ' || rowid FROM patterns WHERE id = ?").pluck();
  expect(invalid.map(({ place, field }) => [place, field])).toEqual(
    ["id 001", "id 120", "id 121", "id 122", "id 249"].map((id) => [
      placeOf.get(id),
      id === "id 122" ? "context" : "name",
    ]),
  );
  database.close();
});

it("finds the rows of a table without row ids, also after an id that is not UTF-8", () => {
  const path = changed(
    `CREATE TABLE other AS SELECT * FROM patterns; DROP TABLE patterns;
     CREATE TABLE patterns (id TEXT PRIMARY KEY, agent_id, pattern_type, name, description, context, code, confidence, usage_count,
       success_count, failure_count, tags, discovered_at, last_used, updated_at) WITHOUT ROWID;
     INSERT INTO patterns SELECT * FROM other; DROP TABLE other; ${BREAK};
     UPDATE patterns SET id = CAST(x'69642030303380' AS TEXT) WHERE id = 'id 003'; UPDATE patterns SET name = 'a \ufffd' WHERE id = 'id 004'`,
  );
  const { loaded, invalid } = invalidOf(path);
  expect(loaded).toBe(IDS.length - 5);
  expect(invalid.map(({ place, field }) => [place, field])).toEqual([
    ['row "id 001"', "name"],
    ['row "id 003\ufffd"', "id"],
    ['row "id 120"', "name"],
    ['row "id 121"', "name"],
    ['row "id 249"', "name"],
  ]);
});

it("names the row of a duplicate", () => {
  const path = changed(
    `CREATE TABLE other AS SELECT * FROM patterns; DROP TABLE patterns; ALTER TABLE other RENAME TO patterns;
     UPDATE patterns SET id = 'id 005' WHERE id = 'id 200'`,
  );
  expect(() => loadLibraryFromSqlite(path)).toThrow(/row 201: .*duplicate id "id 005"/);
});

it("reads columns whose declared names differ in case", () => {
  const path = changed("ALTER TABLE patterns RENAME COLUMN agent_id TO Agent_ID");
  const { loaded, invalid } = invalidOf(path);
  expect([loaded, invalid]).toEqual([IDS.length, []]);
  expect(loadLibraryFromSqlite(path)).toEqual(library(...IDS));
});
