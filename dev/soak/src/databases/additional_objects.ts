import { tmpdir } from "node:os";
import { join } from "node:path";
import type Database from "better-sqlite3";
import { addEntry, ENDLESS, forge } from "./forge.ts";

/** File that a function of a hostile schema would create if it were run; a reader must never create it. */
const CANARY = join(tmpdir(), "perdura-soak-canary").replaceAll("'", "''");

/** Functions that reach outside the database or use excessive resources. */
const EXPRESSIONS: Record<string, string> = {
  "load_extension()": `load_extension('${CANARY}')`,
  "writefile()": `writefile('${CANARY}', 'x')`,
  "readfile()": "readfile('/etc/passwd')",
  "fts3_tokenizer()": "fts3_tokenizer('simple', x'0000000000000000')",
  "40 megabytes": "length(hex(zeroblob(20000000)))",
};

/** Changes a database in which the named tables exist. */
type Make = (path: string, tables: readonly string[]) => void;

const beside =
  (change: (database: Database.Database, table: string) => void): Make =>
  (path, tables) =>
    forge(path, (database) => tables.forEach((table) => change(database, table)));

/** Adds text to the definition of a table, before its last bracket. */
const within = (text: string): Make =>
  beside(
    (database, table) =>
      void database
        .prepare(
          "UPDATE sqlite_schema SET sql = rtrim(sql, ' ' || char(10) || ')') || ? WHERE name = ? AND type = 'table'",
        )
        .run(`, ${text})`, table),
  );

/** Additions to the schema, next to the tables or within their definitions. */
export const ADDITIONAL_OBJECTS: Record<string, Make> = {
  "a full-text table on an endless view": beside((database, table) => {
    if (table !== database.prepare("SELECT name FROM sqlite_schema WHERE name = ?").pluck().get(table)) return;
    database.exec(
      `CREATE TABLE IF NOT EXISTS text_${table} (q); CREATE VIRTUAL TABLE full_${table} USING fts4(q, content="text_${table}")`,
    );
    database.exec(`CREATE VIEW bomb_${table} AS ${ENDLESS} SELECT x AS rowid, 'text' AS q FROM n`);
    database
      .prepare("UPDATE sqlite_schema SET sql = replace(sql, ?, ?) WHERE name = ?")
      .run(`"text_${table}"`, `"bomb_${table}"`, `full_${table}`);
  }),
  "fourteen views, each selecting twice from the previous one": (path) =>
    forge(path, (database) => {
      database.exec("CREATE VIEW v0 AS SELECT 1 AS a");
      for (let number = 1; number < 14; number += 1)
        database.exec(
          `CREATE VIEW v${number} AS SELECT (SELECT a FROM v${number - 1}) + (SELECT a FROM v${number - 1}) AS a`,
        );
    }),
  "three thousand tables": (path) =>
    forge(path, (database) => {
      database.exec("BEGIN");
      for (let number = 0; number < 3000; number += 1) database.exec(`CREATE TABLE t${number} (a, b)`);
      database.exec("COMMIT");
    }),
  "unused endless views": beside((database, table) =>
    addEntry(database, `CREATE VIEW bomb_${table} AS ${ENDLESS} SELECT x FROM n`),
  ),
};
for (const [name, expression] of Object.entries(EXPRESSIONS)) {
  ADDITIONAL_OBJECTS[`a column computed by ${name}`] = within(`odd AS (${expression})`);
  ADDITIONAL_OBJECTS[`a default of ${name}`] = within(`odd DEFAULT (${expression})`);
  ADDITIONAL_OBJECTS[`a CHECK of ${name}`] = within(`CHECK (coalesce(${expression}, 1) IS NOT 'never')`);
  ADDITIONAL_OBJECTS[`triggers that call ${name}`] = beside((database, table) => {
    for (const event of ["INSERT", "UPDATE", "DELETE"])
      database
        .prepare("INSERT INTO sqlite_schema VALUES ('trigger', ?, ?, 0, ?)")
        .run(
          `calls_${event}_${table}`,
          table,
          `CREATE TRIGGER calls_${event}_${table} AFTER ${event} ON ${table} BEGIN SELECT ${expression}; END`,
        );
  });
  ADDITIONAL_OBJECTS[`an index of ${name}`] = beside((database, table) => {
    const root = database
      .prepare("SELECT rootpage FROM sqlite_schema WHERE type = 'index' AND rootpage > 0")
      .pluck()
      .get();
    database
      .prepare("INSERT INTO sqlite_schema VALUES ('index', ?, ?, ?, ?)")
      .run(`calls_${table}`, table, root, `CREATE INDEX calls_${table} ON ${table} (${expression})`);
  });
}
