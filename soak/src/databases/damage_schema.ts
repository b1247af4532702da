import Database from "better-sqlite3";
import type { Chance } from "./chance.ts";

const ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n";

/** Expressions that should not be worked out by whoever only reads. */
const EXPRESSIONS = [
  "load_extension('x')",
  "writefile('/tmp/perdura-soak-canary', 'x')",
  "readfile('/etc/passwd')",
  "fts3_tokenizer('simple', x'00')",
  "hex(zeroblob(500000000))",
  "no_such_function(1)",
  "(SELECT count(*) FROM sqlite_schema)",
  "RAISE(ABORT, 'no')",
  "abs(-9223372036854775808)",
  "random()",
  "json('{')",
];

const NAMES = [
  "patterns",
  "pattern_usage",
  "interactions",
  "interaction_metadata",
  "metrics",
  "metrics_new",
  "perdura_rollup",
  "perdura_user_rollup",
  "perdura_quarantine",
  "perdura_migration",
  "sqlar",
  "entries",
  "states",
  "perdura_rollup_insert",
  "idx_interactions_user",
  "idx_patterns_agent",
  "sqlite_sequence",
  "sqlite_stat1",
];

const WORDS = [
  "WITHOUT ROWID",
  "STRICT",
  "COLLATE NOCASE",
  "COLLATE nobody",
  "GENERATED ALWAYS AS (1)",
  "UNIQUE",
  "NOT NULL",
  "PRIMARY KEY",
  "AUTOINCREMENT",
  "REFERENCES nobody(x)",
  "DEFAULT (1/0)",
  "CHECK (0)",
  "TEMP",
  "VIRTUAL",
  "AS",
  '"',
  "'",
  "`",
  "[",
  "/*",
  "--\n",
  "(",
  ")",
  ",",
  "\0",
  "é",
  "‮",
  "\x1B[31m",
];

/** Writes another text of a table, index, view or trigger. */
function oddText(sql: string, chance: Chance): string {
  const expression = chance.of(EXPRESSIONS);
  const inside = (text: string): string => sql.replace(/\)(?=[^)]*$)/, `, ${text})`);
  const place = chance.below(sql.length);
  return chance.of<() => string>([
    () => inside(`odd TEXT AS (${expression})`),
    () => inside(`odd TEXT DEFAULT (${expression})`),
    () => inside(`CHECK (${expression})`),
    () => inside(`odd TEXT DEFAULT 'x' NOT NULL`),
    () => inside(Array.from({ length: chance.of([50, 1990, 2100]) }, (_, number) => `x${number}`).join(", ")),
    () => `${sql} ${chance.of(["WITHOUT ROWID", "STRICT", "--", "/*"])}`,
    () => sql.replace(/\b(TEXT|INTEGER|REAL|BOOLEAN|TIMESTAMP)\b/, () => chance.of([...WORDS, "ANY", "BLOB"])),
    () => sql.replace(/^CREATE TABLE(?: IF NOT EXISTS)? (\w+)/i, `CREATE VIEW $1 AS ${ENDLESS} --`),
    () => sql.replace(/^CREATE TABLE(?: IF NOT EXISTS)? (\w+) *\(/i, "CREATE VIRTUAL TABLE $1 USING fts5("),
    () => sql.slice(0, place) + chance.of(WORDS) + sql.slice(place),
    () => sql.slice(0, place) + sql.slice(place + 1 + chance.below(12)),
    () => sql.toLowerCase(),
    () =>
      sql.replace(/\b(id|user_id|success|level|empathy_level|name|data)\b/, () => chance.of(["id", "rowid", "x y"])),
    () => "",
  ])();
}

type Change = (database: Database.Database, chance: Chance) => void;

const someEntry = (database: Database.Database, chance: Chance): { rowid: number; sql: string | null } | undefined => {
  const entries = database.prepare("SELECT rowid, sql FROM sqlite_schema").all() as { rowid: number; sql: string }[];
  return entries.length === 0 ? undefined : chance.of(entries);
};

const setting =
  (column: string, values: readonly unknown[]): Change =>
  (database, chance) =>
    void database
      .prepare(`UPDATE sqlite_schema SET ${column} = ? WHERE rowid = ?`)
      .run(chance.of(values), someEntry(database, chance)?.rowid ?? 0);

const inserting =
  (type: string, made: (name: string, chance: Chance, table: string) => string): Change =>
  (database, chance) => {
    const [name, table] = [chance.of(NAMES), chance.of(NAMES)];
    database
      .prepare("INSERT INTO sqlite_schema VALUES (?, ?, ?, 0, ?)")
      .run(type, name, type === "trigger" ? table : name, made(name, chance, table));
  };

const CHANGES: readonly Change[] = [
  ...Array.from({ length: 6 }, (): Change => (database, chance) => {
    const entry = someEntry(database, chance);
    const sql = entry?.sql ?? null;
    const text = sql === null ? null : oddText(sql, chance);
    database.prepare("UPDATE sqlite_schema SET sql = ? WHERE rowid = ?").run(text, entry?.rowid ?? 0);
  }),
  setting("rootpage", [0, 1, 2, 3, 4, 5, 99, -1, null, "x"]),
  setting("type", ["table", "view", "index", "trigger", "x", null]),
  setting("name", [...NAMES, null, "", "x\u001b[2J"]),
  setting("tbl_name", NAMES),
  setting("sql", [null, Buffer.from("CREATE"), 1, ""]),
  (database, chance) =>
    void database.prepare("DELETE FROM sqlite_schema WHERE rowid = ?").run(someEntry(database, chance)?.rowid ?? 0),
  (database) => void database.exec("INSERT INTO sqlite_schema SELECT * FROM sqlite_schema LIMIT 1"),
  inserting("view", (name) => `CREATE VIEW ${name} AS ${ENDLESS}`),
  inserting(
    "table",
    (name, chance) => `CREATE VIRTUAL TABLE ${name} USING ${chance.of(["fts4", "fts5", "rtree"])}(a, b, c)`,
  ),
  inserting(
    "trigger",
    (name, chance, table) =>
      `CREATE TRIGGER ${name} ${chance.of(["BEFORE INSERT", "AFTER UPDATE", "AFTER DELETE", "INSTEAD OF INSERT"])} ON ${table} BEGIN SELECT ${chance.of(EXPRESSIONS)}; END`,
  ),
  (database, chance) => void database.pragma(`user_version = ${chance.of([-1, 1, 15, 16, 17, 2 ** 31 - 1])}`),
  (database, chance) => void database.pragma(`application_id = ${chance.of([-1, 1, 252_006_674])}`),
];

/** Lets a database say what SQLite itself would not have accepted, as another program could. */
export function damageSchema(path: string, chance: Chance): void {
  for (let times = 1 + chance.below(3); times > 0; times -= 1) {
    const database = new Database(path);
    try {
      database.unsafeMode(true);
      database.pragma("writable_schema = ON");
      chance.of(CHANGES)(database, chance);
    } catch {
      // A change before made it unreadable for SQLite: enough for this time.
    } finally {
      database.close();
    }
  }
}
