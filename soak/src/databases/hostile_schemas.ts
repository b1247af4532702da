import Database from "better-sqlite3";
import type { Family } from "./models.ts";

/** Where a function of a hostile schema would leave a mark, if it were run. */
export const CANARY = "/tmp/perdura-soak-canary";

const ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)";

/** Functions that reach out of the database, or take what they can get. */
const EXPRESSIONS: Record<string, string> = {
  "load_extension()": `load_extension('${CANARY}')`,
  "writefile()": `writefile('${CANARY}', 'x')`,
  "readfile()": "readfile('/etc/passwd')",
  "fts3_tokenizer()": "fts3_tokenizer('simple', x'0000000000000000')",
  "40 megabytes": "length(hex(zeroblob(20000000)))",
};

type Make = (path: string, tables: readonly string[]) => void;

/** Opens a database so that everything can be said in it. */
export function forge(path: string, change: (database: Database.Database) => void): void {
  const database = new Database(path);
  try {
    database.unsafeMode(true);
    database.pragma("writable_schema = ON");
    database.pragma("foreign_keys = OFF");
    change(database);
  } finally {
    database.close();
  }
}

const columnsOf = (database: Database.Database, table: string): string[] =>
  database.prepare("SELECT name FROM pragma_table_info(?)").pluck().all(table) as string[];

/** Rows without end, in columns of those names. */
const endlessRows = (columns: readonly string[]): string =>
  `${ENDLESS} SELECT ${[...columns, "rowid"].map((column) => `x AS "${column}"`).join(", ")} FROM n`;

/** A table, and its indexes and triggers, give way to something else of its name. */
function replace(path: string, table: string, made: (columns: readonly string[]) => string[]): void {
  forge(path, (database) => {
    const columns = columnsOf(database, table);
    if (columns.length === 0) columns.push("a", "b");
    else database.prepare("DELETE FROM sqlite_schema WHERE tbl_name = ? OR name = ?").run(table, table);
    for (const sql of made(columns)) addEntry(database, sql);
  });
}

/** Says in the schema what SQLite itself might refuse to make. */
function addEntry(database: Database.Database, sql: string): void {
  const [, type, name] = /^CREATE (?:VIRTUAL )?(TABLE|VIEW) "?(\w+)/.exec(sql) as unknown as [string, string, string];
  database.prepare("INSERT INTO sqlite_schema VALUES (?, ?, ?, 0, ?)").run(type.toLowerCase(), name, name, sql);
}

const named = (columns: readonly string[]): string => columns.map((column) => `"${column}"`).join(", ");

/** What can stand in the place of a table. */
const INSTEAD: Record<string, (table: string) => (columns: readonly string[]) => string[]> = {
  "a view without end": (table) => (columns) => [`CREATE VIEW ${table} AS ${endlessRows(columns)}`],
  "full text of a view without end": (table) => (columns) => [
    `CREATE VIEW bomb AS ${endlessRows(columns)}`,
    `CREATE VIRTUAL TABLE ${table} USING fts5(${named(columns)}, content='bomb', content_rowid='rowid')`,
    `CREATE TABLE ${table}_data (id INTEGER PRIMARY KEY, block BLOB)`,
  ],
  "old full text of a view without end": (table) => (columns) => [
    `CREATE VIEW bomb AS ${endlessRows(columns)}`,
    `CREATE VIRTUAL TABLE ${table} USING fts4(${named(columns)}, content="bomb")`,
  ],
};

const beside =
  (change: (database: Database.Database, table: string) => void): Make =>
  (path, tables) =>
    forge(path, (database) => tables.forEach((table) => change(database, table)));

/** Puts more into the text of a table, before its last bracket. */
const within = (text: string): Make =>
  beside(
    (database, table) =>
      void database
        .prepare(
          "UPDATE sqlite_schema SET sql = rtrim(sql, ' ' || char(10) || ')') || ? WHERE name = ? AND type = 'table'",
        )
        .run(`, ${text})`, table),
  );

const BESIDE: Record<string, Make> = {
  "full text beside it that checks a view without end": beside((database, table) => {
    if (table !== database.prepare("SELECT name FROM sqlite_schema WHERE name = ?").pluck().get(table)) return;
    database.exec(
      `CREATE TABLE IF NOT EXISTS text_${table} (q); CREATE VIRTUAL TABLE full_${table} USING fts4(q, content="text_${table}")`,
    );
    database.exec(`CREATE VIEW bomb_${table} AS ${ENDLESS} SELECT x AS rowid, 'text' AS q FROM n`);
    database
      .prepare("UPDATE sqlite_schema SET sql = replace(sql, ?, ?) WHERE name = ?")
      .run(`"text_${table}"`, `"bomb_${table}"`, `full_${table}`);
  }),
  "fourteen views, each of the one before, twice": (path) =>
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
  "views that nobody asked": beside((database, table) =>
    addEntry(database, `CREATE VIEW bomb_${table} AS ${ENDLESS} SELECT x FROM n`),
  ),
};
for (const [name, expression] of Object.entries(EXPRESSIONS)) {
  BESIDE[`a column computed by ${name}`] = within(`odd AS (${expression})`);
  BESIDE[`a default of ${name}`] = within(`odd DEFAULT (${expression})`);
  BESIDE[`a CHECK of ${name}`] = within(`CHECK (coalesce(${expression}, 1) IS NOT 'never')`);
  BESIDE[`triggers that call ${name}`] = beside((database, table) => {
    for (const event of ["INSERT", "UPDATE", "DELETE"])
      database
        .prepare("INSERT INTO sqlite_schema VALUES ('trigger', ?, ?, 0, ?)")
        .run(
          `odd_${event}_${table}`,
          table,
          `CREATE TRIGGER odd_${event}_${table} AFTER ${event} ON ${table} BEGIN SELECT ${expression}; END`,
        );
  });
  BESIDE[`an index of ${name}`] = beside((database, table) => {
    const root = database
      .prepare("SELECT rootpage FROM sqlite_schema WHERE type = 'index' AND rootpage > 0")
      .pluck()
      .get();
    database
      .prepare("INSERT INTO sqlite_schema VALUES ('index', ?, ?, ?, ?)")
      .run(`odd_${table}`, table, root, `CREATE INDEX odd_${table} ON ${table} (${expression})`);
  });
}

/** The tables that each reader looks for, its own ones that need not be there included. */
const TABLES: Record<Family, readonly string[]> = {
  patterns: ["patterns", "pattern_usage"],
  "metrics of 15": ["interactions", "interaction_metadata", "perdura_rollup", "perdura_user_rollup", "metrics"],
  "metrics of 16": ["interactions", "interaction_metadata", "perdura_stale_users", "sqlite_sequence", "metrics"],
  legacy: [
    "metrics",
    "interactions",
    "patterns",
    "interaction_metadata",
    "metrics_new",
    "perdura_migrations",
    "perdura_migration",
    "perdura_quarantine",
    "perdura_kept_levels",
    "perdura_rollup",
    "sqlite_stat1",
  ],
  archives: ["sqlar", "entries", "directory", "states"],
};

/** Every hostile schema for a kind of file, by what it is called. */
export function hostileSchemas(family: Family): Record<string, (path: string) => void> {
  const tables = TABLES[family];
  const instead = Object.entries(INSTEAD).flatMap(([what, made]) =>
    tables.map((table) => [`${what} as ${table}`, (path: string) => replace(path, table, made(table))] as const),
  );
  const others = Object.entries(BESIDE).map(
    ([what, make]) => [what, (path: string) => make(path, tables.slice(0, 2))] as const,
  );
  return Object.fromEntries([...instead, ...others]);
}
