import { copyFileSync, existsSync, readFileSync, readdirSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkFile } from "../../src/judge_file/check_file.ts";
import {
  USAGE,
  brief,
  checkDatabase,
  checkText,
  metricsDatabase,
  patternsDatabase,
  replaced,
  writeDatabase,
} from "./hand_made.ts";
import { freshFolder } from "../../../../test/fresh_folder.ts";

const folder = freshFolder();
const ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)";
const state = (path: string) => [
  readFileSync(path).toString("base64"),
  statSync(path, { bigint: true }).mtimeNs,
  readdirSync(join(path, "..")),
];

describe("a hostile database", () => {
  it("with an endless view named like a table does not run it", () => {
    const view = `CREATE VIEW patterns AS ${ENDLESS} SELECT i AS id FROM n; ${USAGE}`;
    expect(brief(checkDatabase(folder, view))).toContain("error R-4.1/tables patterns");
    expect(checkDatabase(folder, `CREATE VIEW interactions AS ${ENDLESS} SELECT * FROM n;`)).toMatchObject({
      kind: "metrics-database",
      findings: [{ got: expect.stringContaining("a view") as string }, {}],
    });
  });

  it("with exponential views does not compile them", () => {
    const views = Array.from({ length: 60 }, (_, n) => `CREATE VIEW v${n + 1} AS SELECT x.a FROM v${n} x, v${n} y;`);
    expect(
      checkDatabase(
        folder,
        `${patternsDatabase}CREATE VIEW v0 AS SELECT id AS a FROM patterns; ${views.join("")} CREATE TABLE c (a REFERENCES v60(a));`,
      ).findings,
    ).toEqual([]);
  });

  it("with refusing, changing or endless triggers is judged only by its tables", () => {
    const triggers = (
      table: string,
    ) => `CREATE TRIGGER "refuses ""x""" BEFORE INSERT ON ${table} BEGIN SELECT RAISE(ABORT, 'no'); END;
      CREATE TRIGGER changes AFTER INSERT ON ${table} BEGIN DELETE FROM ${table}; END;
      CREATE TRIGGER endless AFTER INSERT ON ${table} BEGIN INSERT INTO sink ${ENDLESS} SELECT i FROM n; END; CREATE TABLE sink (i);`;
    expect(checkDatabase(folder, patternsDatabase + triggers("patterns")).findings).toEqual([]);
    expect(checkDatabase(folder, metricsDatabase + triggers("interactions"), { line: "16" }).findings).toEqual([]);
  });

  it("with a virtual table named like a table, or next to the tables", () => {
    expect(brief(checkDatabase(folder, `CREATE VIRTUAL TABLE patterns USING fts5(id, name); ${USAGE}`))).toContain(
      "error R-4.1/tables patterns",
    );
    expect(
      checkDatabase(
        folder,
        `${patternsDatabase} CREATE VIRTUAL TABLE words USING fts5(body); INSERT INTO words VALUES ('x');`,
      ).findings,
    ).toEqual([]);
  });

  it("with a garbled schema, or unknown functions", () => {
    const garbled = `${patternsDatabase} PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'CREATE TABLE patterns (' WHERE name = 'patterns';`;
    expect(checkDatabase(folder, garbled)).toMatchObject({ kind: "sqlite", conforms: false });
    const unknown = `${patternsDatabase} PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, 'name TEXT NOT NULL', 'name TEXT NOT NULL CHECK (evil(name))') WHERE name = 'patterns';`;
    expect(checkDatabase(folder, unknown).conforms).toBe(false);
  });

  it("with a table whose columns hide the row ids, and generated columns", () => {
    const hidden = replaced(
      patternsDatabase,
      "description TEXT",
      "rowid TEXT, _rowid_ TEXT, oid TEXT, description TEXT",
    );
    expect(brief(checkDatabase(folder, `${hidden} UPDATE patterns SET tags = '{}';`))).toEqual([
      'error R-2.1/tags.sqlite-text patterns.tags, id "p1"',
    ]);
    const huge = "description TEXT AS (hex(zeroblob(1000000)))";
    expect(brief(checkDatabase(folder, replaced(patternsDatabase, "description TEXT", huge)))).toEqual([
      "error R-2.1/fields.sqlite patterns.description",
    ]);
  });

  it("whose header forbids to write it", () => {
    const bytes = readFileSync(writeDatabase(join(folder, "later.db"), metricsDatabase));
    bytes[18] = 3;
    expect(brief(checkText(folder, bytes))).toContain("error - interactions");
  });

  it("with any changed bytes is judged, never a fault of the suite", () => {
    const whole = readFileSync(writeDatabase(join(folder, "whole.db"), patternsDatabase + metricsDatabase));
    const change = fc.record({ at: fc.nat({ max: whole.length - 1 }), byte: fc.integer({ min: 0, max: 255 }) });
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 40 }), (changes) => {
        const bytes = Buffer.from(whole);
        for (const { at, byte } of changes) bytes[at] = byte;
        expect(checkText(folder, bytes).findings).toBeInstanceOf(Array);
      }),
      { numRuns: 150 },
    );
  });

  it("is not changed: bytes, time and the files next to it", () => {
    const home = freshFolder(folder);
    const path = join(home, "log.db");
    const writer = new Database(join(folder, "writer.db"));
    writer.exec(
      `PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; ${metricsDatabase} UPDATE interactions SET level = 9;`,
    );
    for (const part of ["", "-wal"]) copyFileSync(join(folder, `writer.db${part}`), path + part);
    writer.close();
    const before = [state(path), state(`${path}-wal`)];
    const finding = "error R-2.5/levels interactions.level, row 1";
    expect(brief(checkFile(path, { line: "16" }))).toEqual([finding]);
    const link = join(folder, "link.db");
    symlinkSync(path, link);
    expect(brief(checkFile(link, { line: "16" }))).toEqual([finding]);
    expect([state(path), state(`${path}-wal`)]).toEqual(before);
    expect(existsSync(`${link}-wal`)).toBe(false);
  });
});
