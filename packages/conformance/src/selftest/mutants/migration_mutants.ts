import { copyFileSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { MIGRATION_METRICS_MUTANTS } from "./migration_metrics_mutants.ts";
import { runOn, spoils, spoilsArchive, afterwards, within } from "./migration_mutations.ts";
import { answers, ignores, ok, row } from "./mutations.ts";
import type { Mutant, Mutation } from "./mutations.ts";
import { prepares } from "./sqlite_mutations.ts";

const patterns = (name: string, kills: string, mutation: Mutation): Mutant =>
  row(name, "U-patterns-migration", 16, `migration/${kills}`, mutation);
const PATTERNS: readonly Mutant[] = [
  patterns(
    "writes the JSON of patterns anew",
    "patterns-untouched",
    spoils("UPDATE patterns SET context = json(context)"),
  ),
  patterns(
    "orders patterns by their id",
    "patterns-untouched",
    spoils("UPDATE patterns SET rowid = 4 WHERE id = 'p1'"),
  ),
  patterns("forgets the confidence of patterns", "patterns-of-15", spoils("UPDATE patterns SET confidence = 0.5")),
  patterns(
    "formats the JSON files that it finds",
    "library-json-untouched",
    afterwards((request) => {
      const file = within(request, "library.json");
      writeFileSync(file, JSON.stringify(JSON.parse(readFileSync(file, "utf8"))));
    }),
  ),
];

const states = (name: string, kills: string, mutation: Mutation): Mutant =>
  row(name, "U-state-in-16", 16, `migration/${kills}`, mutation);
const STATES: readonly Mutant[] = [
  states(
    "removes the states that it archived",
    "states-archived",
    afterwards((request) => rmSync(within(request), { recursive: true })),
  ),
  states("leaves states where they are", "states-archived", ignores("migrate")),
  states(
    "keeps permissions without the kind of file",
    "archive-standard",
    spoilsArchive("UPDATE sqlar SET mode = mode & 511"),
  ),
  states("keeps times in milliseconds", "archive-standard", spoilsArchive("UPDATE sqlar SET mtime = mtime * 1000")),
  states(
    "writes empty files into the archive",
    "archive-standard",
    spoilsArchive("UPDATE sqlar SET sz = 0, data = x''"),
  ),
  states("leaves a column of states empty", "archive-states", spoilsArchive("UPDATE states SET target_level = NULL")),
  states(
    "leaves out states that it cannot read",
    "archive-broken-state",
    spoilsArchive("DELETE FROM sqlar WHERE name IN (SELECT file FROM states WHERE status <> 'ok')"),
  ),
  states(
    "archives the same states again and again",
    "states-archived-once",
    prepares("migrate", ({ args }) => {
      const archive = `${args.path as string}.v15.sqlar`;
      if (existsSync(archive)) copyFileSync(archive, `${archive}.2`);
    }),
  ),
  states(
    "passes over a directory of states inside another one",
    "whole-directory",
    afterwards((request) => rmSync(within(request, "state.v15.sqlar"))),
  ),
];

const legacy = (name: string, kills: string, mutation: Mutation): Mutant =>
  row(name, "U-legacy-layouts", 16, `migration/${kills}`, mutation);
const LEGACY: readonly Mutant[] = [
  legacy(
    "knows the documented layout only",
    "older-layout",
    ignores("migrate", ({ path }) => statSync(path as string).isFile()),
  ),
  legacy(
    "drops metadata that is no JSON",
    "older-layout-metadata",
    spoils("DELETE FROM interaction_metadata WHERE NOT json_valid(metadata)"),
  ),
  legacy(
    "counts ids from the last row of an older product",
    "older-layout-used",
    spoils("DELETE FROM sqlite_sequence"),
  ),
  legacy("loses the uses of a combined file", "combined-file", spoils("DELETE FROM pattern_usage")),
  legacy(
    "takes a level of an older product that it does not know for 5",
    "older-layout-invalid-levels",
    answers("migrate", (answer, request) => {
      runOn(within(request), "UPDATE metrics SET empathy_level = 5 WHERE empathy_level > 5");
      return answer;
    }),
  ),
  legacy(
    "takes every table called metrics for its own",
    "other-program",
    spoils("ALTER TABLE metrics RENAME TO interactions", "site.db"),
  ),
];

const LOST: readonly Mutant[] = [
  legacy(
    "takes the half that an older product had upgraded for the whole",
    "half-upgraded",
    spoils("DELETE FROM interactions"),
  ),
  row(
    "assumes level 1 where levels were destroyed",
    "U-lost-levels",
    16,
    "migration/lost-levels",
    answers("migrate", (answer, request) => {
      runOn(
        within(request),
        "ALTER TABLE metrics RENAME TO interactions; ALTER TABLE interactions ADD COLUMN level INTEGER NOT NULL DEFAULT 1",
      );
      return ok(answer);
    }),
  ),
  row(
    "gives united rows the ids that come first",
    "U-second-table",
    16,
    "migration/second-table",
    spoils("UPDATE interactions SET id = id - 1000 WHERE timestamp > '2024-02'"),
  ),
  row(
    "forgets the metadata of a second table",
    "U-second-table",
    16,
    "migration/second-table",
    spoils("DELETE FROM interaction_metadata"),
  ),
];

/** Faults of programs that bring data of before 16 to 16. */
export const MIGRATION_MUTANTS: readonly Mutant[] = [
  ...MIGRATION_METRICS_MUTANTS,
  ...PATTERNS,
  ...STATES,
  ...LEGACY,
  ...LOST,
];
