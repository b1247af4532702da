import type { JsonObject, JsonValue } from "../../values/json_value.ts";
import { row } from "./mutations.ts";
import type { Mutant, Mutation } from "./mutations.ts";
import { editsState, loads, saves } from "./state_file_mutations.ts";

/** Changes one field of a state. */
const field =
  (key: string, change: (before: JsonValue | undefined) => JsonValue) =>
  (state: JsonObject): JsonObject => ({ ...state, [key]: change(state[key]) });
const mutant = (name: string, requirement: string, kills: string, mutation: Mutation): Mutant =>
  row(name, requirement, 15, kills, mutation);

/** States whose fields do not keep what section 2.8 says of them. */
export const STATE_FIELD_MUTANTS: readonly Mutant[] = [
  mutant(
    "reads a user id of digits as a number",
    "R-2.8/user-id",
    "state/user-id",
    loads(field("user_id", (id) => (/^\d+$/.test(String(id)) ? Number(id) : String(id)))),
  ),
  mutant(
    "writes a user id of digits as a number",
    "R-2.8/user-id",
    "state/user-id",
    editsState(field("user_id", (id) => (id === "42" ? 42 : String(id)))),
  ),
  mutant(
    "rounds the trust level to hundredths",
    "R-2.8/trust-level",
    "state/trust-level",
    saves(field("trust_level", (trust) => Math.round(Number(trust) * 100) / 100)),
  ),
  mutant(
    "takes a trust level of 0 for none",
    "R-2.8/trust-level",
    "state/trust-level",
    loads(field("trust_level", (trust) => (trust as number) || 0.5)),
  ),
  mutant(
    "writes the trust level as text",
    "R-2.8/trust-level",
    "state/trust-level",
    editsState(field("trust_level", String)),
  ),
  mutant(
    "takes the target level for the current one",
    "R-2.8/levels",
    "state/levels",
    loads((state) => ({ ...state, current_level: state.target_level ?? null })),
  ),
  mutant(
    "never lets the target level be below the current one",
    "R-2.8/levels",
    "state/levels",
    saves((state) => ({ ...state, target_level: Math.max(Number(state.current_level), Number(state.target_level)) })),
  ),
  mutant("writes levels as text", "R-2.8/levels", "state/levels", editsState(field("current_level", String))),
  mutant(
    "takes a count of 0 for none",
    "R-2.8/counts",
    "state/counts",
    loads(field("success_count", (count) => (count as number) || null)),
  ),
  mutant(
    "counts failures among the successes",
    "R-2.8/counts",
    "state/counts",
    saves((state) => ({ ...state, success_count: state.interaction_count ?? null })),
  ),
  mutant(
    "keeps days only",
    "R-2.8/timestamps",
    "state/timestamps",
    saves(field("created_at", (moment) => `${String(moment).slice(0, 10)}T00:00:00`)),
  ),
  mutant(
    "sets last_interaction to the time of saving",
    "R-2.8/timestamps",
    "state/timestamps",
    saves(field("last_interaction", () => new Date().toISOString().slice(0, 19))),
  ),
  mutant(
    "brings timestamps into another zone",
    "R-2.8/timestamps",
    "state/timestamps",
    loads(
      field("last_interaction", (moment) => new Date(Date.parse(`${String(moment)}+02:00`)).toISOString().slice(0, 19)),
    ),
  ),
];
