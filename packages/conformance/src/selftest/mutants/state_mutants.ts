import type { JsonObject } from "../../src/values/json_value.ts";
import { answers, value, ok, row } from "./mutations.ts";
import type { Mutant } from "./mutations.ts";

/** States, modules and removals that are wrong. */
export const VERSION_MUTANTS: readonly Mutant[] = [
  row(
    "lists plain ids only",
    15,
    "state/hostile-ids",
    answers("list_users", (answer) =>
      value(answer, (users) => (users as string[]).filter((user) => /^\w+$/.test(user))),
    ),
  ),
  row(
    "always deleted something",
    15,
    "state/delete",
    answers("delete_state", (answer) => ok(answer, true)),
  ),
  row(
    "raises for an unknown user",
    15,
    "state/load-unknown",
    answers("load_state", (answer) =>
      "value" in answer && answer.value === null
        ? { seq: answer.seq, type: "error", kind: "not_found", native: "KeyError", message: "nobody" }
        : answer,
    ),
  ),
  row(
    "drops keys that it does not know",
    15,
    "state/extra-keys",
    answers("load_state", (answer) => value(answer, (state) => ({ ...(state as JsonObject), shared_context: null }))),
  ),
  row(
    "still has a StateManager",
    16,
    "versioning/state-manager-removed",
    answers("has_member", (answer) => ok(answer, true)),
  ),
  row(
    "still has the facade",
    16,
    "versioning/facade-removed",
    answers("has_module", (answer) => ok(answer, true)),
  ),
  row(
    "has lost the facade",
    15,
    "versioning/facade",
    answers("has_module", (answer) => ok(answer, false)),
  ),
];
