import { renameSync } from "node:fs";
import { alters, answers, row } from "./mutations.ts";
import type { Mutant } from "./mutations.ts";
import { everyText, loads, loadsLibrary, redeclares, refuses, textOf } from "./sqlite_mutations.ts";

/** Saved rows and their texts that are wrong (sections 2.1 and 4.1). */
export const SQLITE_ROW_MUTANTS: readonly Mutant[] = [
  row(
    "swaps two columns",
    "R-4.1/save-to-sqlite",
    16,
    "patterns-sqlite/row-content",
    alters("UPDATE patterns SET description = code, code = description"),
  ),
  row(
    "saves the patterns of one agent",
    "R-4.1/save-to-sqlite",
    15,
    "patterns-sqlite/rows-of-several-agents",
    alters("DELETE FROM patterns WHERE agent_id <> 'agent-1'"),
  ),
  row(
    "adds an extension to the name",
    "R-4.1/save-to-sqlite",
    16,
    "patterns-sqlite/named-file",
    answers(
      "save_to_sqlite",
      (answer, { args }) => (renameSync(args.db_path as string, `${args.db_path as string}.db`), answer),
    ),
  ),
  row(
    "leaves updated_at empty",
    "R-2.1/updated-at.default",
    16,
    "patterns-sqlite/updated-at",
    alters("UPDATE patterns SET updated_at = NULL"),
  ),
  row(
    "takes discovered_at for updated_at",
    "R-2.1/updated-at.default",
    15,
    "patterns-sqlite/updated-at",
    alters("UPDATE patterns SET updated_at = discovered_at"),
  ),
  row(
    "declares text columns as STRING",
    "R-2.1/text",
    16,
    "patterns-sqlite/text-like-numbers",
    redeclares("patterns", "agent_id TEXT", "agent_id STRING"),
  ),
  row(
    "cuts blanks off",
    "R-2.1/text",
    15,
    "patterns-sqlite/text-fields",
    loads((pattern) => ({ ...pattern, name: textOf(pattern, "name").trim() })),
  ),
  row(
    "stores empty text as no value",
    "R-2.1/text",
    16,
    "patterns-sqlite/text-fields",
    alters("UPDATE patterns SET description = nullif(description, '')"),
  ),
  row(
    "composes accents",
    "R-2.1/unicode",
    16,
    "patterns-sqlite/unicode",
    loads((pattern) => everyText(pattern, (text) => text.normalize("NFC")) as typeof pattern),
  ),
  row(
    "cuts text to the basic plane",
    "R-2.1/unicode",
    15,
    "patterns-sqlite/unicode",
    alters("UPDATE patterns SET name = replace(name, char(129517), '?')"),
  ),
  row(
    "loses the last pattern",
    "R-4.1/load-from-sqlite",
    16,
    "patterns-sqlite/save-then-load",
    loadsLibrary((library) => ({ ...library, patterns: (library.patterns as []).slice(0, -1) })),
  ),
  row(
    "holds a pattern twice that it loads",
    "R-2.4/length",
    15,
    "patterns-sqlite/loaded-length",
    loadsLibrary((library) => ({
      ...library,
      patterns: (library.patterns as []).flatMap((pattern) => [pattern, pattern]),
    })),
  ),
  row(
    "turns line ends into line feeds",
    "R-4.1/load-from-sqlite",
    15,
    "patterns-sqlite/save-then-load",
    loads((pattern) => everyText(pattern, (text) => text.replaceAll("\r\n", "\n")) as typeof pattern),
  ),
  row(
    "saves only what was not loaded",
    "R-4.1/save-to-sqlite",
    16,
    "patterns-sqlite/save-what-was-loaded",
    answers(
      "save_to_sqlite",
      (answer, { args, handle }) => (
        handle === "loaded" && alters("DELETE FROM patterns").settled?.([args.db_path as string]),
        answer
      ),
    ),
  ),
  row(
    "refuses to save a library without patterns",
    "R-4.1/empty",
    16,
    "patterns-sqlite/empty-library",
    refuses("PatternLibrary", (args) => (args.patterns as []).length === 0),
  ),
];
