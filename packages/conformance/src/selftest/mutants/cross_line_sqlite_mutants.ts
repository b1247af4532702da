import { givesEach } from "./json_faults.ts";
import { overlooksLog } from "./log_faults.ts";
import { receives, row } from "./mutations.ts";
import type { Mutant } from "./mutations.ts";
import { givesObjects, givesText, rounds } from "./pattern_faults.ts";
import { cannotRead, savesThen } from "./sqlite_mutations.ts";

const R = "R-9/cross-line";
const F = "R-4.1/foreign-files";
const declaredOtherwise =
  "SELECT 1 FROM sqlite_schema WHERE name = 'patterns' AND sql NOT LIKE '%id TEXT NOT NULL PRIMARY KEY,' || char(10) || '%'";

/** Faults with pattern databases that somebody else wrote. */
export const CROSS_LINE_SQLITE_MUTANTS: readonly Mutant[] = [
  row(
    "reads UTF-8 as Latin-1",
    R,
    16,
    "cross-line/sqlite-of-15",
    givesText("load_from_sqlite", (text) => Buffer.from(text).toString("latin1")),
  ),
  row(
    "gives the context as the text that it is stored as",
    R,
    15,
    "cross-line/sqlite-of-16",
    givesEach("load_from_sqlite", (pattern) => (pattern.context = JSON.stringify(pattern.context ?? null))),
  ),
  row(
    "forgets tags when it saves in place",
    R,
    15,
    "cross-line/sqlite-saved-again",
    savesThen("UPDATE patterns SET tags = NULL"),
  ),
  row(
    "takes an empty object for nothing",
    R,
    16,
    "cross-line/there-and-back",
    givesObjects("load_from_sqlite", (object) => (Object.keys(object).length === 0 ? null : object)),
  ),
  row("rounds numbers of the other line", "U-numbers", 16, "cross-line/exact-values", rounds("load_from_json")),
  row(
    "throws away the other line's patterns",
    "U-save-existing",
    16,
    "cross-line/added-to",
    receives("save_to_sqlite", (args) => ({ ...args, mode: "replace" })),
  ),
  row(
    "knows databases by the text of their declarations",
    F,
    16,
    "cross-line/sqlite-of-python",
    cannotRead(declaredOtherwise),
  ),
  row(
    "reads timestamps of a database to the second",
    "U-timestamps",
    16,
    "cross-line/microseconds-saved-again",
    givesText("load_from_sqlite", (text) => text.replace(/^(\d{4}-\d\d-\d\dT[\d:]{8})\.\d+$/, "$1")),
  ),
  row(
    "rounds numbers on their way through SQLite",
    "U-numbers",
    15,
    "cross-line/exact-numbers-saved-again",
    rounds("load_from_sqlite"),
  ),
  row("reads only tables that it declared itself", F, 15, "cross-line/other-ddl", cannotRead(declaredOtherwise)),
  row("reads a database without its log", F, 16, "cross-line/wal-saved-again", overlooksLog("load_from_sqlite")),
  row(
    "knows pages of 4096 bytes only",
    F,
    16,
    "cross-line/page-sizes",
    cannotRead("SELECT 1 FROM pragma_page_size WHERE page_size <> 4096"),
  ),
  row(
    "knows text in UTF-8 only",
    F,
    15,
    "cross-line/utf-16",
    cannotRead("SELECT 1 FROM pragma_encoding WHERE encoding <> 'UTF-8'"),
  ),
  row(
    "takes the JSON of a column apart by itself",
    F,
    16,
    "cross-line/text-in-sqlite",
    givesText("load_from_sqlite", (text) => text.replace("naïve", "na\\u00efve")),
  ),
  row(
    "clears away what is not its own when it saves",
    "X-foreign-objects",
    16,
    "cross-line/extra-objects",
    savesThen("DROP VIEW often_used; DROP TABLE notes"),
  ),
  row(
    "rounds numbers that a Python program wrote",
    "U-numbers",
    16,
    "cross-line/exact-values-of-python",
    rounds("load_from_sqlite"),
  ),
  row(
    "cannot do without the indexes of patterns",
    F,
    16,
    "cross-line/no-indexes",
    cannotRead("SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'idx_patterns_agent')"),
  ),
];
