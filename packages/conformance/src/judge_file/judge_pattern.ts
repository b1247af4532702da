import { below, isObject, valueAt } from "../values/json_value.ts";
import type { JsonObject, JsonValue } from "../values/json_value.ts";
import { suiteText } from "../inspect/suite_text.ts";
import type { FindingList } from "./finding_list.ts";
import { isBeyondDouble, isNumberToken, plainNumbers, productViolations } from "./product_schemas.ts";
import type { Violation } from "./product_schemas.ts";
import { halfPairs, idFault, timestampFormat } from "./text_format.ts";

/** The fields of section 2.1 in JSON, each with its requirement. */
const FIELDS: Record<string, string> = {
  id: "R-2.1/text",
  agent_id: "R-2.1/text",
  pattern_type: "R-2.1/text",
  name: "R-2.1/text",
  description: "R-2.1/text",
  context: "R-2.1/context.object",
  code: "R-2.1/text",
  confidence: "R-2.1/confidence.real",
  usage_count: "R-2.1/counts.integer",
  success_count: "R-2.1/counts.integer",
  failure_count: "R-2.1/counts.integer",
  tags: "R-2.1/tags.array",
  discovered_at: "R-2.1/timestamp.json",
  last_used: "R-2.1/timestamp.json",
};

const REQUIRED: Record<string, string> = {
  id: "R-2.1/id.primary-key",
  agent_id: "R-2.1/agent-id.required",
  pattern_type: "R-2.1/pattern-type.required",
  name: "R-2.1/name.required",
};

const NUMBERS = new Set(["confidence", "usage_count", "success_count", "failure_count"]);

/** Judges one item of `patterns`. `at` is its pointer. */
export function judgePattern(pattern: JsonValue, at: string, list: FindingList): void {
  if (!isObject(pattern) || isNumberToken(pattern)) {
    list.error("R-2.4/patterns", { at, wanted: "an object for each pattern", got: pattern });
    return;
  }
  const violations = productViolations("pattern", plainNumbers(pattern, 2));
  for (const violation of violations) judgeViolation(violation, pattern, at, list);
  judgeNumbers(pattern, at, list);
  judgeTimestamps(pattern, at, list);
  judgeOtherKeys(pattern, at, list);
  const ids = new Set([below(at, "id"), below(at, "agent_id")]);
  for (const place of halfPairs(pattern, at)) {
    if (!ids.has(place))
      list.remark("U-text", {
        at: place,
        wanted: "a string without lone surrogates, which databases cannot store",
        got: valueAt(pattern, place.slice(at.length)),
      });
  }
}

function judgeViolation(violation: Violation, pattern: JsonObject, at: string, list: FindingList): void {
  const place = `${at}${violation.pointer}`;
  const got = valueAt(pattern, violation.pointer);
  if (violation.missing !== undefined) {
    list.error(REQUIRED[violation.missing], { at: place, wanted: `the field ${violation.missing}`, got: undefined });
    return;
  }
  const field = violation.pointer.split("/")[1] as string;
  const requirement = got === null ? (REQUIRED[field] ?? FIELDS[field]) : FIELDS[field];
  if (violation.keyword === "pattern") {
    // The form of timestamps is judged separately, in more detail than by the schema.
    if (field === "id" || field === "agent_id")
      list.remark("U-text", {
        at: place,
        wanted: "a non-empty id without NUL and lone surrogates",
        got: suiteText(`${idFault(got as string)}: ${JSON.stringify(got)}`),
      });
  } else if (violation.keyword === "type" && !(NUMBERS.has(field) && isBeyondDouble(got)))
    list.error(requirement, { at: place, wanted: `${field}: ${violation.wanted}`, got });
  // The remaining violations are numbers of the right type that are too large.
  else list.remark("U-json-shape", { at: place, wanted: `${field}: a number in the range of a double`, got });
}

/** Null in place of a default may come from another file: how readers understand it is an open question. */
function judgeNumbers(pattern: JsonObject, at: string, list: FindingList): void {
  for (const field of NUMBERS)
    if (pattern[field] === null)
      list.remark("U-optional", {
        at: below(at, field),
        wanted: `${field}: a number; null is read as the default`,
        got: null,
      });
}

function judgeTimestamps(pattern: JsonObject, at: string, list: FindingList): void {
  for (const field of ["discovered_at", "last_used"]) {
    const text = pattern[field];
    if (typeof text !== "string") continue;
    const format = timestampFormat(text);
    const difference = { at: below(at, field), got: text };
    if (!format || format.zone || format.space)
      list.error("R-2.1/timestamp.json", {
        ...difference,
        wanted: "a valid timestamp without a zone, in the form YYYY-MM-DDTHH:MM:SS",
      });
    // Digits that another program wrote are kept.
    else if (format.fraction > 0)
      list.remark("U-timestamps", {
        ...difference,
        wanted:
          format.fraction > 6
            ? "at most six fractional digits"
            : "the form YYYY-MM-DDTHH:MM:SS; this timestamp is kept unchanged",
      });
  }
}

function judgeOtherKeys(pattern: JsonObject, at: string, list: FindingList): void {
  for (const key of Object.keys(pattern)) {
    if (key === "updated_at")
      list.error("R-2.1/updated-at.sqlite-only", {
        at: below(at, key),
        wanted: "no updated_at, which only databases have",
        got: pattern[key],
      });
    else if (!Object.hasOwn(FIELDS, key))
      list.error("R-2.1/fields.json", {
        at: below(at, key),
        wanted: "only the fields of a pattern; other fields are ignored, and lost at the next save",
        got: pattern[key],
      });
  }
}
