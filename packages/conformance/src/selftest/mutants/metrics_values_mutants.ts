import { records, refuses, remakes } from "./metrics_mutations.ts";
import { alters, row } from "./mutations.ts";
import type { Mutant, Mutation } from "./mutations.ts";

const table = (name: string, requirement: string, line: 15 | 16, kills: string, mutation: Mutation): Mutant =>
  row(name, requirement, line, `metrics/${kills}`, mutation);

/** Interactions whose values are stored wrongly. */
export const METRICS_VALUES_MUTANTS: readonly Mutant[] = [
  table(
    "counts levels from 0",
    "R-2.5/levels",
    15,
    "levels-stored",
    alters("UPDATE interactions SET empathy_level = empathy_level - 1"),
  ),
  table(
    "stores every level as 3",
    "R-2.5/levels",
    16,
    "levels-stored",
    records((args) => ({ ...args, level: 3 })),
  ),
  table(
    "knows four levels",
    "R-8/level",
    16,
    "levels-stored",
    refuses("record_interaction", (args) => args.level === 5),
  ),
  table(
    "stores success as a word",
    "R-2.5/storage-classes",
    16,
    "storage-classes",
    alters("UPDATE interactions SET success = iif(success, 'true', 'false')"),
  ),
  table(
    "makes numbers of user ids that look like some",
    "R-2.5/storage-classes",
    15,
    "storage-classes",
    remakes(15, "user_id TEXT", "user_id NUMERIC"),
  ),
  table(
    "stores whole response times as integers",
    "R-2.5/storage-classes",
    16,
    "storage-classes",
    remakes(16, "response_time_ms REAL", "response_time_ms NUMERIC"),
  ),
];
