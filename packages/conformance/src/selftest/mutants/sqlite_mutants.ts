import type { Mutant } from "./mutations.ts";
import { SQLITE_DETAIL_MUTANTS } from "./sqlite_detail_mutants.ts";
import { SQLITE_HARDENING_MUTANTS } from "./sqlite_hardening_mutants.ts";
import { SQLITE_MERGE_MUTANTS } from "./sqlite_merge_mutants.ts";
import { SQLITE_QUESTION_MUTANTS } from "./sqlite_question_mutants.ts";
import { SQLITE_READING_MUTANTS } from "./sqlite_reading_mutants.ts";
import { SQLITE_ROW_MUTANTS } from "./sqlite_row_mutants.ts";
import { SQLITE_TABLE_MUTANTS } from "./sqlite_table_mutants.ts";
import { SQLITE_USAGE_MUTANTS } from "./sqlite_usage_mutants.ts";
import { SQLITE_VALUE_MUTANTS } from "./sqlite_value_mutants.ts";

/** Pattern databases that are wrong. */
export const SQLITE_MUTANTS: readonly Mutant[] = [
  ...SQLITE_TABLE_MUTANTS,
  ...SQLITE_ROW_MUTANTS,
  ...SQLITE_VALUE_MUTANTS,
  ...SQLITE_READING_MUTANTS,
  ...SQLITE_USAGE_MUTANTS,
  ...SQLITE_QUESTION_MUTANTS,
  ...SQLITE_DETAIL_MUTANTS,
  ...SQLITE_MERGE_MUTANTS,
  ...SQLITE_HARDENING_MUTANTS,
];
