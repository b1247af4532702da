import { addPatterns, type FieldTable } from "../patterns/field_patterns.ts";

/** Adds patterns of every kind: unchanged, repaired, with a new id, and for the quarantine. */
export function addPatternsOfEveryKind(path: string, ids?: FieldTable["ids"]): void {
  const pattern = { agent_id: "a", pattern_type: "t", name: "n" };
  addPatterns(
    path,
    [
      { ...pattern, id: "p" },
      { ...pattern, id: "repaired", context: '{"a": NaN}' },
      { ...pattern, id: "" },
      { ...pattern, id: "left", context: "[]" },
    ],
    [
      { pattern_id: "p", agent_id: "u", success: 1 },
      { pattern_id: "", agent_id: "u", success: 1 },
    ],
    ids,
  );
}
