import type { JsonObject, JsonValue } from "../../values/json_value.ts";
import { alters, answers, ok, receives, row } from "./mutations.ts";
import type { Mutant } from "./mutations.ts";
import { everyText, loads, loadsLibrary, prepares, refuses, savesThen, some, textOf } from "./sqlite_mutations.ts";

const sorted = (patterns: JsonValue): JsonObject[] =>
  (patterns as JsonObject[]).toSorted((one, other) => (textOf(one, "id") < textOf(other, "id") ? -1 : 1));
const byId = loadsLibrary((library) => ({ ...library, patterns: sorted(library.patterns as JsonValue) }));
const cut =
  (length: number) =>
  (text: string): string =>
    /^\d{4}-/.test(text) ? text.slice(0, length) : text;

/** Other answers to open questions than the rulings', by implementations that declare the rulings. */
export const SQLITE_QUESTION_MUTANTS: readonly Mutant[] = [
  row(
    "keeps NULL where a default applies",
    "U-optional",
    16,
    "patterns-sqlite/load-nulls",
    loads((pattern) => ({ ...pattern, confidence: null, usage_count: null })),
  ),
  row(
    "stores null where a default applies",
    "U-optional",
    15,
    "patterns-sqlite/save-nulls",
    alters("UPDATE patterns SET confidence = NULL"),
  ),
  row(
    "takes an empty array for no value",
    "U-optional",
    16,
    "patterns-sqlite/empty-containers",
    alters("UPDATE patterns SET tags = nullif(tags, '[]')"),
  ),
  row(
    "knows nothing of contributions in SQLite",
    "U-contributions",
    16,
    "patterns-sqlite/contributions",
    loadsLibrary((library) => ({ ...library, agent_contributions: {} })),
  ),
  row(
    "sorts contributions",
    "U-contributions",
    15,
    "patterns-sqlite/contributions",
    loadsLibrary((library) => ({ ...library, agent_contributions: { "agent-1": ["a", "b"], "agent-2": ["c"] } })),
  ),
  row(
    "stores contributions",
    "U-contributions",
    16,
    "patterns-sqlite/contributions-of-others",
    loadsLibrary((library) => ({ ...library, agent_contributions: { "agent-2": ["c"], "agent-9": ["a", "b"] } })),
  ),
  row(
    "cuts timestamps to milliseconds",
    "U-timestamps",
    16,
    "patterns-sqlite/microseconds",
    loads((pattern) => everyText(pattern, cut(23)) as JsonObject),
  ),
  row(
    "stores timestamps in seconds",
    "U-timestamps",
    15,
    "patterns-sqlite/microseconds",
    alters("UPDATE patterns SET discovered_at = substr(discovered_at, 1, 19), last_used = substr(last_used, 1, 19)"),
  ),
  row(
    "puts a T into every timestamp",
    "U-timestamps",
    16,
    "patterns-sqlite/load-space-timestamps",
    loads((pattern) => everyText(pattern, (text) => text.replace(/^(\d{4}-\d\d-\d\d) /, "$1T")) as JsonObject),
  ),
  row(
    "reads NaN as text",
    "U-nonfinite",
    16,
    "patterns-sqlite/load-python-words",
    prepares("load_from_sqlite", ({ args }) =>
      alters(`UPDATE patterns SET context = replace(context, 'NaN', '"NaN"')`).settled?.([args.db_path as string]),
    ),
  ),
  row(
    "passes over a row that it cannot read",
    "U-read-what-can-be-read",
    15,
    "patterns-sqlite/load-one-invalid",
    prepares("load_from_sqlite", ({ args }) =>
      alters("DELETE FROM patterns WHERE NOT json_valid(context)").settled?.([args.db_path as string]),
    ),
  ),
  row(
    "replaces lone surrogates",
    "U-text",
    16,
    "patterns-sqlite/lone-surrogate",
    receives("PatternLibrary", (args) => everyText(args, (text) => text.toWellFormed()) as JsonObject),
  ),
  row(
    "takes a row with an empty id",
    "U-text",
    15,
    "patterns-sqlite/empty-id",
    answers("load_from_sqlite", (answer) => ok(answer, { patterns: [{ id: "" }], agent_contributions: {} })),
  ),
  row(
    "cuts an id at a NUL",
    "U-text",
    16,
    "patterns-sqlite/nul-in-id",
    prepares("load_from_sqlite", ({ args }) =>
      alters("UPDATE patterns SET id = substr(id, 1, 1)").settled?.([args.db_path as string]),
    ),
  ),
  row(
    "cuts text at a NUL",
    "U-text",
    16,
    "patterns-sqlite/nul-in-text",
    loads((pattern) => everyText(pattern, (text) => text.split("\0")[0] as string) as JsonObject),
  ),
  row("sorts patterns by id", "U-order", 16, "patterns-sqlite/order", byId),
  row("reads rows by id", "U-order", 15, "patterns-sqlite/order-by-hand", byId),
  row(
    "rounds numbers to doubles",
    "U-numbers",
    16,
    "patterns-sqlite/exact-numbers",
    loads((pattern) => ({ ...pattern, context: { ...(pattern.context as JsonObject), big: 12345678901234567000 } })),
  ),
  row(
    "rounds numbers to doubles when it saves",
    "U-numbers",
    15,
    "patterns-sqlite/exact-numbers-by-hand",
    savesThen("UPDATE patterns SET context = replace(context, '12345678901234567890', '12345678901234567000')"),
  ),
  row(
    "takes at most a thousand tags",
    "U-limits",
    16,
    "patterns-sqlite/limits",
    refuses(
      "PatternLibrary",
      some(({ tags }) => Array.isArray(tags) && tags.length > 1000),
    ),
  ),
];
