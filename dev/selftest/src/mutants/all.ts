import { CARE } from "./care.ts";
import { CONFIGURATION } from "./configuration.ts";
import { CROSS_FORMAT } from "./cross_format.ts";
import { CROSS_LINE } from "./cross_line.ts";
import { DURABILITY } from "./durability.ts";
import { EXPORTS } from "./exports.ts";
import { GENERATED } from "./generated.ts";
import { JSON_LIBRARY } from "./json_library.ts";
import { LOSSES } from "./losses.ts";
import { METRICS } from "./metrics.ts";
import { MIGRATION } from "./migration.ts";
import type { Mutant } from "./mutations.ts";
import { SEEDED } from "./seeded.ts";
import { SQLITE_LIBRARY } from "./sqlite_library.ts";
import { STATES } from "./states.ts";
import { STATISTICS } from "./statistics.ts";
import { TRENDS } from "./trends.ts";
import { VERSIONS } from "./versions.ts";

/** Faulty implementations that the suite must find, in the order of the requirements. */
export const MUTANTS: readonly Mutant[] = [
  ...JSON_LIBRARY,
  ...SQLITE_LIBRARY,
  ...CROSS_FORMAT,
  ...METRICS,
  ...STATISTICS,
  ...TRENDS,
  ...DURABILITY,
  ...EXPORTS,
  ...STATES,
  ...CONFIGURATION,
  ...VERSIONS,
  ...CROSS_LINE,
  ...MIGRATION,
  ...LOSSES,
  ...CARE,
  ...SEEDED,
  ...GENERATED,
].toSorted((a, b) => (a.requirement < b.requirement ? -1 : a.requirement > b.requirement ? 1 : 0));
