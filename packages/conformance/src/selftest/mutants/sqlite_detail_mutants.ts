import type { JsonObject } from "../../values/json_value.ts";
import { alters, receives, row } from "./mutations.ts";
import type { Mutant } from "./mutations.ts";
import { rounds } from "./pattern_faults.ts";
import { cannotRead, everyText } from "./sqlite_mutations.ts";

/** Values that only few patterns have, and that are lost or refused beside the wrong neighbour. */
export const SQLITE_DETAIL_MUTANTS: readonly Mutant[] = [
  row(
    "reads an escape in a key of a context as its backslash",
    "R-4.1/load-from-sqlite",
    16,
    "patterns-sqlite/load-escaped-keys",
    alters(`UPDATE patterns SET context = replace(context, '"\\n":', '"\\\\":')`),
  ),
  row(
    "takes the replacement character for text that it could not read",
    "R-2.1/unicode",
    15,
    "patterns-sqlite/replacement-character",
    cannotRead("SELECT 1 FROM patterns WHERE instr(name, char(65533))"),
  ),
  row(
    "stores the null of JSON for a pattern with a long id",
    "R-2.1/none.default",
    16,
    "patterns-sqlite/save-nulls-long-id",
    alters("UPDATE patterns SET context = 'null' WHERE length(id) > 64"),
  ),
  row(
    "cuts text at a NUL where a context holds a big number",
    "U-text",
    15,
    "patterns-sqlite/nul-beside-exact-number",
    alters("UPDATE patterns SET description = 'a' WHERE context LIKE '%12345678901234567890%'"),
  ),
  row(
    "replaces lone surrogates where no text is without one",
    "U-text",
    15,
    "patterns-sqlite/lone-surrogates-everywhere",
    receives("PatternLibrary", (args) => everyText(args, (text) => text.toWellFormed()) as JsonObject),
  ),
  row(
    "takes powers of ten for doubles",
    "U-numbers",
    16,
    "patterns-sqlite/load-exact-powers",
    rounds("load_from_sqlite"),
  ),
];
