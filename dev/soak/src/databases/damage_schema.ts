import Database from "better-sqlite3";
import type { Chance } from "../../../../test/hostile/chance.ts";
import { ENDLESS, EXPRESSIONS, hostileText } from "./hostile_sql.ts";

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

type Change = (database: Database.Database, chance: Chance) => void;

const someEntry = (database: Database.Database, chance: Chance): { rowid: number; sql: string | null } | undefined => {
  const entries = database.prepare("SELECT rowid, sql FROM sqlite_schema").all() as { rowid: number; sql: string }[];
  return entries.length === 0 ? undefined : chance.pick(entries);
};

const setting =
  (column: string, values: readonly unknown[]): Change =>
  (database, chance) =>
    void database
      .prepare(`UPDATE sqlite_schema SET ${column} = ? WHERE rowid = ?`)
      .run(chance.pick(values), someEntry(database, chance)?.rowid ?? 0);

const inserting =
  (type: string, made: (name: string, chance: Chance, table: string) => string): Change =>
  (database, chance) => {
    const [name, table] = [chance.pick(NAMES), chance.pick(NAMES)];
    database
      .prepare("INSERT INTO sqlite_schema VALUES (?, ?, ?, 0, ?)")
      .run(type, name, type === "trigger" ? table : name, made(name, chance, table));
  };

const CHANGES: readonly Change[] = [
  ...Array.from({ length: 6 }, (): Change => (database, chance) => {
    const entry = someEntry(database, chance);
    const sql = entry?.sql ?? null;
    const text = sql === null ? null : hostileText(sql, chance);
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
    (name, chance) => `CREATE VIRTUAL TABLE ${name} USING ${chance.pick(["fts4", "fts5", "rtree"])}(a, b, c)`,
  ),
  inserting(
    "trigger",
    (name, chance, table) =>
      `CREATE TRIGGER ${name} ${chance.pick(["BEFORE INSERT", "AFTER UPDATE", "AFTER DELETE", "INSTEAD OF INSERT"])} ON ${table} BEGIN SELECT ${chance.pick(EXPRESSIONS)}; END`,
  ),
  (database, chance) => void database.pragma(`user_version = ${chance.pick([-1, 1, 15, 16, 17, 2 ** 31 - 1])}`),
  (database, chance) => void database.pragma(`application_id = ${chance.pick([-1, 1, 252_006_674])}`),
];

/** Gives a database a schema that SQLite itself would have refused, as another program could. */
export function damageSchema(path: string, chance: Chance): void {
  for (let times = 1 + chance.below(3); times > 0; times -= 1) {
    const database = new Database(path);
    try {
      database.unsafeMode(true);
      database.pragma("writable_schema = ON");
      chance.pick(CHANGES)(database, chance);
    } catch {
      // An earlier change made the schema unreadable for SQLite; no further change is possible.
    } finally {
      database.close();
    }
  }
}
