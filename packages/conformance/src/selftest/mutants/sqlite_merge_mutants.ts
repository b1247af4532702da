import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { alters, answers, receives, row } from "./mutations.ts";
import type { Mutant } from "./mutations.ts";
import { prepares, refuses, savesThen } from "./sqlite_mutations.ts";

const withoutMode = receives("save_to_sqlite", ({ mode: _mode, ...args }) => args);
const alwaysReplaces = receives("save_to_sqlite", (args) => ({ ...args, mode: "replace" }));

/** Saves that treat what is there already, or is not there, in another way than the rulings have it. */
export const SQLITE_MERGE_MUTANTS: readonly Mutant[] = [
  row(
    "puts saved patterns first",
    "U-order",
    15,
    "patterns-sqlite/order-merged",
    savesThen("UPDATE patterns SET rowid = rowid + 1000 WHERE id IN ('z', 'a')"),
  ),
  row(
    "leaves known rows at their places when it replaces",
    "U-order",
    16,
    "patterns-sqlite/order-replaced",
    savesThen("UPDATE patterns SET rowid = -1 WHERE id = 'a'"),
  ),
  row(
    "makes missing directories",
    "U-missing-directory",
    16,
    "patterns-sqlite/missing-directory",
    prepares("save_to_sqlite", ({ args }) => mkdirSync(dirname(args.db_path as string), { recursive: true })),
  ),
  row("begins anew with every save", "U-save-existing", 16, "patterns-sqlite/save-merges", alwaysReplaces),
  row(
    "keeps known rows as they were",
    "U-save-existing",
    15,
    "patterns-sqlite/save-merges",
    savesThen("UPDATE patterns SET name = 'Retry once'"),
  ),
  row(
    "merges only fields with a value",
    "U-save-existing",
    16,
    "patterns-sqlite/save-merges-every-field",
    savesThen("UPDATE patterns SET code = coalesce(code, 'return call() or call()')"),
  ),
  row(
    "writes known rows anew, and their uses go",
    "U-save-existing",
    15,
    "patterns-sqlite/save-merges-usage",
    savesThen("DELETE FROM pattern_usage WHERE pattern_id IN (SELECT id FROM patterns WHERE name = 'Renamed')"),
  ),
  row("merges whatever the mode", "U-save-existing", 16, "patterns-sqlite/save-replaces", withoutMode),
  row(
    "clears all uses when it replaces",
    "U-save-existing",
    15,
    "patterns-sqlite/save-replaces",
    answers(
      "save_to_sqlite",
      (answer, { args }) => (
        args.mode === "replace" && alters("DELETE FROM pattern_usage").settled?.([args.db_path as string]),
        answer
      ),
    ),
  ),
  row(
    "makes a new file of a database without indexes",
    "U-save-existing",
    16,
    "patterns-sqlite/save-into-made-by-hand",
    savesThen("DROP TABLE notes; DELETE FROM patterns WHERE id = 'm1'"),
  ),

  row(
    "refuses a database that is there",
    "U-save-existing",
    15,
    "patterns-sqlite/save-merges",
    refuses("save_to_sqlite", (args) => existsSync(args.db_path as string)),
  ),
];
