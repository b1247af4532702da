/**
 * Reasons why fixtures cannot be copied unchanged: `table.column: reason` for values that PostgreSQL cannot hold, or
 * the end of the sentence that refuses the whole database.
 */
const WITH_NUL = "interactions.user_id: a NUL character, which PostgreSQL cannot hold";
const INVALID = [
  'interactions.success: expected 0 or 1, found text "yes"',
  "interactions.success: expected 0 or 1, found the integer -1",
  "interactions.success: expected 0 or 1, found the integer 2",
  "interactions.success: expected 0 or 1, found the real number 0.5",
  WITH_NUL,
];
const BYTES = [
  "interaction_metadata.metadata: a NUL character, which PostgreSQL cannot hold",
  "interaction_metadata.metadata: expected text, found a blob of 2 bytes",
  "interactions.success: expected 0 or 1, found a blob of 1 bytes",
  'interactions.success: expected 0 or 1, found text "yes"',
  "interactions.success: expected 0 or 1, found the integer -9223372036854776000",
  "interactions.success: expected 0 or 1, found the real number 0.5",
  "interactions.timestamp: expected text, found a blob of 2 bytes",
  "interactions.timestamp: expected text, found the integer 1729000000",
  "interactions.timestamp: expected text, found the integer 9007199254740992",
  WITH_NUL,
];
const FOREIGN = ["The database has no tables of perdura or of pre-16 programs."];
const EMPTY = ["an empty file (0 bytes)"];

const all = (names: readonly string[], reasons: readonly string[]): [string, readonly string[]][] =>
  names.map((name) => [`legacy/${name}.db`, reasons]);

/** By the name of the file; all others can be copied. */
export const REFUSED: ReadonlyMap<string, readonly string[]> = new Map([
  ...all(["both-big-ids"], ["Change the ids of one of the two tables first."]),
  ...all(["documented-15-invalid"], INVALID),
  ...all(
    ["both-invalid", "field-a-invalid", "field-b-invalid"],
    ["interaction_metadata.metadata: expected text, found text that is not UTF-8", ...INVALID],
  ),
  ...all(["documented-15-bytes", "field-a-bytes", "field-b-bytes"], BYTES),
  ...all(["documented-15-quoted", "field-a-quoted"], ["PRAGMA writable_schema = RESET;"]),
  ...all(["foreign"], FOREIGN),
  ...all(["zero-byte"], EMPTY),
  ["invalid/columns-missing.db", FOREIGN],
  ["invalid/no-patterns-table.db", FOREIGN],
  ["invalid/zero-byte.db", EMPTY],
  [
    "invalid/cut-in-half.db",
    ["the database is damaged (database disk image is malformed). No stored data was changed."],
  ],
  [
    "invalid/text.db",
    [
      "Cannot read the file: it does not begin like an SQLite database; it is damaged, encrypted, or from another program. Restore it from a copy, decrypt it, or move it to another directory, then run this command again.",
    ],
  ],
]);
