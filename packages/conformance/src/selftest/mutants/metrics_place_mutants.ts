import { mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { opens } from "./metrics_mutations.ts";
import { alters, receives, row } from "./mutations.ts";
import type { Mutant, Mutation } from "./mutations.ts";

const metrics = (name: string, requirement: string, line: 15 | 16, kills: string, mutation: Mutation): Mutant =>
  row(name, requirement, line, `metrics/${kills}`, mutation);

/** Collectors with another answer about where their database lies. */
export const METRICS_PLACE_MUTANTS: readonly Mutant[] = [
  metrics(
    "writes timestamps with a T",
    "U-timestamp-zone",
    16,
    "timestamp-zone",
    alters("UPDATE interactions SET timestamp = replace(timestamp, ' ', 'T')"),
  ),
  metrics(
    "writes local time",
    "U-timestamp-zone",
    15,
    "timestamp-zone",
    alters("UPDATE interactions SET timestamp = datetime(timestamp, '+5 hours', '+45 minutes')"),
  ),
  metrics(
    "has another default path before 16",
    "U-db-path-default",
    15,
    "default-path-before-16",
    receives("MetricsCollector", (args, directory) => ({ db_path: join(directory, "data.db"), ...args })),
  ),
  metrics("begins a new database in place of any file", "U-not-a-database", 16, "not-a-database", opens(rmSync)),
  metrics(
    "begins a new database in place of any long file",
    "U-not-a-database",
    15,
    "not-a-database-long",
    opens(rmSync),
  ),
  metrics(
    "makes directories",
    "U-missing-directory",
    16,
    "missing-directory",
    receives("MetricsCollector", (args) => {
      mkdirSync(dirname(String(args.db_path)), { recursive: true });
      return args;
    }),
  ),
];
