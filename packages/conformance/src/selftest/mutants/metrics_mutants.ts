import { EXPORT_FILE_MUTANTS } from "./export_file_mutants.ts";
import { EXPORT_MUTANTS } from "./export_mutants.ts";
import { GLOBAL_STATISTICS_MUTANTS } from "./global_statistics_mutants.ts";
import { METRICS_HARDENING_MUTANTS } from "./metrics_hardening_mutants.ts";
import { METRICS_PLACE_MUTANTS } from "./metrics_place_mutants.ts";
import { METRICS_QUESTION_MUTANTS } from "./metrics_question_mutants.ts";
import { METRICS_RANGE_MUTANTS } from "./metrics_range_mutants.ts";
import { METRICS_RECORDING_MUTANTS } from "./metrics_recording_mutants.ts";
import { METRICS_TABLE_MUTANTS } from "./metrics_table_mutants.ts";
import { METRICS_VALUES_MUTANTS } from "./metrics_values_mutants.ts";
import type { Mutant } from "./mutations.ts";
import { STATISTICS_MUTANTS } from "./statistics_mutants.ts";
import { STATISTICS_QUESTION_MUTANTS } from "./statistics_question_mutants.ts";

/** Metrics, statistics and exports that are wrong. */
export const METRICS_MUTANTS: readonly Mutant[] = [
  ...METRICS_TABLE_MUTANTS,
  ...METRICS_VALUES_MUTANTS,
  ...METRICS_RECORDING_MUTANTS,
  ...METRICS_PLACE_MUTANTS,
  ...METRICS_QUESTION_MUTANTS,
  ...METRICS_RANGE_MUTANTS,
  ...METRICS_HARDENING_MUTANTS,
  ...STATISTICS_MUTANTS,
  ...STATISTICS_QUESTION_MUTANTS,
  ...GLOBAL_STATISTICS_MUTANTS,
  ...EXPORT_MUTANTS,
  ...EXPORT_FILE_MUTANTS,
];
