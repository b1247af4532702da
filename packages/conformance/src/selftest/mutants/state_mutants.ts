import type { Mutant } from "./mutations.ts";
import { STATE_FIELD_MUTANTS } from "./state_field_mutants.ts";
import { STATE_MANAGER_MUTANTS } from "./state_manager_mutants.ts";
import { STATE_RULING_MUTANTS } from "./state_ruling_mutants.ts";
import { STATE_SESSION_MUTANTS } from "./state_session_mutants.ts";
import { STATE_TEXT_MUTANTS } from "./state_text_mutants.ts";

/** Every wrong implementation of collaboration state. */
export const STATE_MUTANTS: readonly Mutant[] = [
  ...STATE_MANAGER_MUTANTS,
  ...STATE_SESSION_MUTANTS,
  ...STATE_FIELD_MUTANTS,
  ...STATE_RULING_MUTANTS,
  ...STATE_TEXT_MUTANTS,
];
