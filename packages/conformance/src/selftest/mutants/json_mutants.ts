import { CROSS_FORMAT_MUTANTS } from "./cross_format_mutants.ts";
import { JSON_ACCEPTANCE_MUTANTS } from "./json_acceptance_mutants.ts";
import { JSON_FIELD_MUTANTS } from "./json_field_mutants.ts";
import { JSON_FILE_MUTANTS } from "./json_file_mutants.ts";
import { JSON_HARDENING_MUTANTS } from "./json_hardening_mutants.ts";
import { JSON_LOAD_MUTANTS } from "./json_load_mutants.ts";
import { JSON_QUESTION_MUTANTS } from "./json_question_mutants.ts";
import { JSON_REFUSAL_MUTANTS } from "./json_refusal_mutants.ts";
import { JSON_SAVE_MUTANTS } from "./json_save_mutants.ts";
import { JSON_SYNTAX_MUTANTS } from "./json_syntax_mutants.ts";
import { JSON_VALUE_MUTANTS } from "./json_value_mutants.ts";
import type { Mutant } from "./mutations.ts";

/** Everything that can be wrong about pattern library files, and on the way between both formats. */
export const JSON_MUTANTS: readonly Mutant[] = [
  ...JSON_FIELD_MUTANTS,
  ...JSON_VALUE_MUTANTS,
  ...JSON_FILE_MUTANTS,
  ...JSON_SAVE_MUTANTS,
  ...JSON_LOAD_MUTANTS,
  ...JSON_REFUSAL_MUTANTS,
  ...JSON_SYNTAX_MUTANTS,
  ...JSON_ACCEPTANCE_MUTANTS,
  ...JSON_QUESTION_MUTANTS,
  ...JSON_HARDENING_MUTANTS,
  ...CROSS_FORMAT_MUTANTS,
];
