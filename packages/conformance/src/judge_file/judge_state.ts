import type { Finding } from "../inspect/findings.ts";
import { below, isObject, valueAt } from "../values/json_value.ts";
import type { JsonObject } from "../values/json_value.ts";
import { readStrictJson } from "../values/strict_json.ts";
import type { StrictReading } from "../values/strict_json.ts";
import { suiteText } from "../inspect/suite_text.ts";
import type { FindingList } from "./finding_list.ts";
import { judgeDocument } from "./json_document.ts";
import { isBeyondDouble, isNumberToken, plainNumbers, productViolations } from "./product_schemas.ts";
import type { Violation } from "./product_schemas.ts";
import { idFault, timestampFormat } from "./text_format.ts";

/** The fields of section 2.8, each with its requirement. */
export const STATE_FIELDS: Record<string, string> = {
  user_id: "R-2.8/user-id",
  trust_level: "R-2.8/trust-level",
  current_level: "R-2.8/levels",
  target_level: "R-2.8/levels",
  interaction_count: "R-2.8/counts",
  success_count: "R-2.8/counts",
  failure_count: "R-2.8/counts",
  last_interaction: "R-2.8/timestamps",
  created_at: "R-2.8/timestamps",
};

/** Field names of older programs. */
const OLDER_NAMES: Record<string, string> = {
  total_interactions: "interaction_count",
  successful_interventions: "success_count",
  failed_interventions: "failure_count",
  session_start: "created_at",
  saved_at: "last_interaction",
};

/**
 * Judges the bytes of a collaboration state (section 2.8), which exists only in the pre-16 line.
 * @returns the findings; an empty list for a correct file.
 * @example judgeStateBytes(readFileSync("state/alice.json"))
 */
export function judgeStateBytes(bytes: Uint8Array): Finding[] {
  return judgeState(readStrictJson(bytes));
}

/** Like {@link judgeStateBytes}, for a file that was already read. */
export function judgeState(reading: StrictReading): Finding[] {
  return judgeDocument(reading, "R-2.8/json", (value, list) => {
    if (!isObject(value) || isNumberToken(value))
      list.error("R-2.8/json", { at: "", wanted: "an object with the fields of a collaboration state", got: value });
    else judgeStateObject(value, list);
  });
}

function judgeStateObject(state: JsonObject, list: FindingList): void {
  for (const violation of productViolations("v15:collaboration-state", plainNumbers(state, 1)))
    judgeViolation(violation, state, list);
  for (const field of ["last_interaction", "created_at"]) judgeTimestamp(field, state, list);
  for (const field of ["current_level", "target_level"]) {
    const level = state[field];
    if (typeof level === "number" && Number.isInteger(level) && (level < 1 || level > 5))
      list.remark("U-range", { at: below("", field), wanted: "a level from 1 to 5", got: level });
  }
  judgeOlderNames(state, list);
}

function judgeOlderNames(state: JsonObject, list: FindingList): void {
  const renamed = Object.entries(OLDER_NAMES).filter(
    ([older, field]) => Object.hasOwn(state, older) && !Object.hasOwn(state, field),
  );
  const first = renamed[0];
  if (!first) return;
  const pairs = renamed.map(([older, field]) => `${older} instead of ${field}`).join(", ");
  list.error("R-2.8/fields", {
    at: below("", first[0]),
    wanted: "the field names of section 2.8",
    got: suiteText(`${pairs}: this looks like a state of an older program; migrate it`),
  });
}

function judgeViolation({ pointer, keyword, missing, wanted }: Violation, state: JsonObject, list: FindingList): void {
  if (missing !== undefined) {
    list.error(STATE_FIELDS[missing], { at: "", wanted: `the field ${missing}`, got: undefined });
    return;
  }
  const field = pointer.slice(1);
  const got = valueAt(state, pointer);
  if (field === "user_id" && keyword === "pattern")
    list.remark("U-text", {
      at: pointer,
      wanted: "a non-empty id without NUL and lone surrogates",
      got: suiteText(`${idFault(got as string)}: ${JSON.stringify(got)}`),
    });
  else if (field === "trust_level")
    list.error(STATE_FIELDS.trust_level, { at: pointer, wanted: "trust_level: a number from 0 to 1", got });
  else if (keyword === "type" && !isBeyondDouble(got))
    list.error(STATE_FIELDS[field], { at: pointer, wanted: `${field}: ${wanted}`, got });
  else if (keyword !== "pattern")
    list.remark("U-state-corrupt", { at: pointer, wanted: `${field}: a number in the range of a double`, got });
}

function judgeTimestamp(field: string, state: JsonObject, list: FindingList): void {
  const text = state[field];
  if (typeof text !== "string") return;
  const format = timestampFormat(text);
  const at = below("", field);
  if (!format) list.error(STATE_FIELDS[field], { at, wanted: `${field}: a valid ISO 8601 timestamp`, got: text });
  else if (format.zone) list.remark("U-timestamps", { at, wanted: `${field} without a zone`, got: text });
}
