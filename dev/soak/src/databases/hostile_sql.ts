import type { Chance } from "../../../../test/hostile/chance.ts";

/** A query that never ends. */
export const ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n";

/** Expressions that a mere reader must not evaluate. */
export const EXPRESSIONS = [
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

/** Changes the definition of a table, index, view or trigger. */
export function hostileText(sql: string, chance: Chance): string {
  const expression = chance.pick(EXPRESSIONS);
  const inside = (text: string): string => sql.replace(/\)(?=[^)]*$)/, `, ${text})`);
  const place = chance.below(sql.length);
  return chance.pick<() => string>([
    () => inside(`odd TEXT AS (${expression})`),
    () => inside(`odd TEXT DEFAULT (${expression})`),
    () => inside(`CHECK (${expression})`),
    () => inside(`odd TEXT DEFAULT 'x' NOT NULL`),
    () => inside(Array.from({ length: chance.pick([50, 1990, 2100]) }, (_, number) => `x${number}`).join(", ")),
    () => `${sql} ${chance.pick(["WITHOUT ROWID", "STRICT", "--", "/*"])}`,
    () => sql.replace(/\b(TEXT|INTEGER|REAL|BOOLEAN|TIMESTAMP)\b/, () => chance.pick([...WORDS, "ANY", "BLOB"])),
    () => sql.replace(/^CREATE TABLE(?: IF NOT EXISTS)? (\w+)/i, `CREATE VIEW $1 AS ${ENDLESS} --`),
    () => sql.replace(/^CREATE TABLE(?: IF NOT EXISTS)? (\w+) *\(/i, "CREATE VIRTUAL TABLE $1 USING fts5("),
    () => sql.slice(0, place) + chance.pick(WORDS) + sql.slice(place),
    () => sql.slice(0, place) + sql.slice(place + 1 + chance.below(12)),
    () => sql.toLowerCase(),
    () =>
      sql.replace(/\b(id|user_id|success|level|empathy_level|name|data)\b/, () => chance.pick(["id", "rowid", "x y"])),
    () => "",
  ])();
}
