/**
 * Why a database of the fixtures does not go over as it is: `table.column: reason` of values that PostgreSQL cannot hold, or
 * the end of the sentence that refuses the whole.
 */
const METADATA = "interaction_metadata.metadata: expected JSON, found something else";
const NAN_METADATA = "interaction_metadata.metadata: expected JSON, found NaN or Infinity, which are none";
const NAN_CONTEXT = "patterns.context: expected JSON, found NaN or Infinity, which are none";
const NO_UTF8 = [
  "interactions.user_id: a NUL character, which PostgreSQL cannot hold",
  "interactions.user_id: expected text, found text that is not UTF-8",
];
const ODD = [
  'interactions.success: expected 0 or 1, found text "yes"',
  "interactions.success: expected 0 or 1, found the integer -1",
  "interactions.success: expected 0 or 1, found the integer 2",
  "interactions.success: expected 0 or 1, found the real number 0.5",
  ...NO_UTF8,
];
const BYTES = [
  METADATA,
  NAN_METADATA,
  "interaction_metadata.metadata: expected text, found a blob of 2 bytes",
  "interaction_metadata.metadata: expected text, found text that is not UTF-8",
  "interactions.success: expected 0 or 1, found a blob of 1 bytes",
  'interactions.success: expected 0 or 1, found text "yes"',
  "interactions.success: expected 0 or 1, found the integer -9223372036854776000",
  "interactions.success: expected 0 or 1, found the real number 0.5",
  "interactions.timestamp: expected text, found a blob of 2 bytes",
  "interactions.timestamp: expected text, found the integer 1729000000",
  "interactions.timestamp: expected text, found the integer 9007199254740992",
  ...NO_UTF8,
];
const FOREIGN = ["Its tables are not those of perdura or of the programs before it."];
const EMPTY = ["an empty file (zero bytes): no data"];

/** What Python wrote as NaN and Infinity. */
const WITH_NAN = [
  "both-a-15",
  "both-b-15",
  "both-b-16",
  "both-empty-interactions",
  "both-newer-metrics",
  "both-older-metrics",
  "documented-15-foreign-keys",
  "documented-15-odd-tables",
  "documented-15-own-columns",
  "field-a",
  "field-a-foreign-keys",
  "field-a-odd-tables",
  "field-a-own-columns",
  "field-a-python",
  "field-a-unparsable-views",
  "field-a-user-objects",
  "field-a-wal",
  "field-b",
  "field-b-foreign-keys",
  "field-b-odd-tables",
  "field-c",
  "field-d",
  "half-upgraded",
  "renamed-never",
];
const COMBINED = ["combined-a", "combined-b", "combined-c", "combined-d"];

const all = (names: readonly string[], reasons: readonly string[]): [string, readonly string[]][] =>
  names.map((name) => [`legacy/${name}.db`, reasons]);

/** By the name of the file; the others go over. */
export const REFUSED: ReadonlyMap<string, readonly string[]> = new Map([
  ...all(WITH_NAN, [NAN_METADATA]),
  ...all(COMBINED, [NAN_METADATA, NAN_CONTEXT]),
  ...all([...COMBINED.flatMap((name) => [`${name}-empty`, `${name}-one`]), "field-patterns"], [NAN_CONTEXT]),
  ...all(["both-big-ids"], ["Give the rows of one of the two tables other ids first."]),
  ...all(["documented-15-odd"], ODD),
  ...all(
    ["both-odd", "field-a-odd", "field-b-odd"],
    [METADATA, "interaction_metadata.metadata: expected text, found text that is not UTF-8", ...ODD],
  ),
  ...all(["documented-15-bytes", "field-a-bytes", "field-b-bytes"], BYTES),
  ...all(["foreign"], FOREIGN),
  ...all(["zero-byte"], EMPTY),
  ["invalid/columns-missing.db", FOREIGN],
  ["invalid/no-patterns-table.db", FOREIGN],
  ["invalid/zero-byte.db", EMPTY],
  ["invalid/context-nan.db", [NAN_CONTEXT]],
  ["invalid/context-not-json.db", ["patterns.context: expected JSON, found something else"]],
  ["invalid/cut-in-half.db", ["the database is damaged (database disk image is malformed). It was left as it is."]],
  ["invalid/text.db", ["not an SQLite database, whatever its name says"]],
]);
