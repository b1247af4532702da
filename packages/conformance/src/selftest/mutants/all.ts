import { CONFIGURATION_MUTANTS } from "./configuration_mutants.ts";
import { CROSS_LINE_MUTANTS } from "./cross_line_mutants.ts";
import { EDGE_VALUE_MUTANTS } from "./edge_value_mutants.ts";
import { COUNTING_MUTANTS } from "./counting_mutants.ts";
import { FATE_MUTANTS } from "./fate_mutants.ts";
import { JSON_MUTANTS } from "./json_mutants.ts";
import { METRICS_MUTANTS } from "./metrics_mutants.ts";
import { MIGRATION_MUTANTS } from "./migration_mutants.ts";
import type { Mutant } from "./mutations.ts";
import { SQLITE_MUTANTS } from "./sqlite_mutants.ts";
import { STATE_MUTANTS } from "./state_mutants.ts";
import { VERSION_MUTANTS } from "./version_mutants.ts";

/** Every wrong implementation that the suite must find, in the order of the requirements. */
export const MUTANTS: readonly Mutant[] = [
  ...JSON_MUTANTS,
  ...SQLITE_MUTANTS,
  ...METRICS_MUTANTS,
  ...STATE_MUTANTS,
  ...CONFIGURATION_MUTANTS,
  ...VERSION_MUTANTS,
  ...CROSS_LINE_MUTANTS,
  ...MIGRATION_MUTANTS,
  ...EDGE_VALUE_MUTANTS,
  ...FATE_MUTANTS,
  ...COUNTING_MUTANTS,
].toSorted((a, b) => (a.requirement < b.requirement ? -1 : a.requirement > b.requirement ? 1 : 0));
