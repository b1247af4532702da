import { toDouble } from "../json/exact_numbers.ts";
import { isPlainObject, type JsonValue } from "../json/values.ts";
import { stateFault } from "../validity/state_problems.ts";

/**
 * One user's collaboration state (specification, section 2.8). Other keys are kept when a state is loaded and saved.
 * Only `user_id` and `trust_level` are required, because not all existing state files have the other fields.
 */
export interface CollaborationStateFields {
  user_id: string;
  /** Trust in the user, 0 to 1. */
  trust_level: number;
  current_level?: number;
  target_level?: number;
  interaction_count?: number;
  success_count?: number;
  failure_count?: number;
  /** Time of the last interaction, in the form `YYYY-MM-DDTHH:MM:SS[.f{1,6}]`. */
  last_interaction?: string | null;
  /** Time of creation, in the form `YYYY-MM-DDTHH:MM:SS[.f{1,6}]`. */
  created_at?: string | null;
}

/** A state with its further keys, which are kept. */
export interface CollaborationState extends CollaborationStateFields {
  [extra: string]: JsonValue | undefined;
}

/** The fields of section 2.8, in its order. */
export const STATE_FIELDS = [
  "user_id",
  "trust_level",
  "current_level",
  "target_level",
  "interaction_count",
  "success_count",
  "failure_count",
  "last_interaction",
  "created_at",
] as const;

/** Keys that older programs used for fields of section 2.8. */
export const LEGACY_KEYS = {
  interaction_count: "total_interactions",
  success_count: "successful_interventions",
  failure_count: "failed_interventions",
  last_interaction: "saved_at",
  created_at: "session_start",
} as const;

/**
 * Sets absent fields from their legacy keys, if the value is valid for the field. The legacy keys are kept as extra
 * keys.
 */
export function fillFromLegacyKeys(document: unknown): void {
  if (!isPlainObject(document)) return;
  for (const [field, key] of Object.entries(LEGACY_KEYS)) {
    if (Object.hasOwn(document, field) || !Object.hasOwn(document, key)) continue;
    const value = typeof document[key] === "object" ? toDouble(document[key]) : document[key];
    if (stateFault({ user_id: "any", trust_level: 0, [field]: value }) === undefined) document[field] = value;
  }
}

/** Converts numbers in typed fields that were kept as text to doubles. Extra keys keep exact numbers. */
export function roundTypedFields(document: unknown): void {
  if (!isPlainObject(document)) return;
  for (const field of STATE_FIELDS) {
    if (typeof document[field] === "object") document[field] = toDouble(document[field]);
  }
}
