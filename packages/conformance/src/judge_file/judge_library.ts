import type { Finding } from "../inspect/findings.ts";
import { isObject } from "../values/json_value.ts";
import type { JsonObject, JsonValue } from "../values/json_value.ts";
import { below, valueAt } from "../values/pointer.ts";
import { readStrictJson } from "../values/strict_json.ts";
import type { StrictReading } from "../values/strict_json.ts";
import type { FindingList } from "./finding_list.ts";
import { judgeContributions } from "./judge_contributions.ts";
import { judgeMetadata } from "./judge_metadata.ts";
import { judgeDocument } from "./json_document.ts";
import { judgePattern } from "./judge_pattern.ts";
import { isNumberToken, productViolations } from "./product_schemas.ts";

const KEYS = ["patterns", "agent_contributions", "metadata"];

/**
 * Judges the bytes of a pattern library file (section 2.4). Both lines share the format.
 * @returns what is wrong and where; an empty list for a file without fault.
 * @example judgeLibraryBytes(readFileSync("library.json")).filter(({ level }) => level === "error")
 */
export function judgeLibraryBytes(bytes: Uint8Array): Finding[] {
  return judgeLibrary(readStrictJson(bytes));
}

/** The same for a file that was read already. */
export function judgeLibrary(reading: StrictReading): Finding[] {
  return judgeDocument(reading, "R-2.4/top-level", (value, list) => {
    if (!isObject(value) || isNumberToken(value))
      list.error("R-2.4/top-level", { at: "", wanted: `an object with the keys ${KEYS.join(", ")}`, got: value });
    else judgeLibraryObject(value, list);
  });
}

const OWNERS: Record<string, string> = {
  "": "R-2.4/top-level",
  "/patterns": "R-2.4/patterns",
  "/agent_contributions": "R-2.4/agent-contributions",
  "/metadata": "R-2.4/metadata",
};

function judgeLibraryObject(library: JsonObject, list: FindingList): void {
  for (const { pointer, missing, wanted } of productViolations("pattern-library", shellOf(library))) {
    if (missing === undefined)
      list.error(OWNERS[pointer], {
        at: pointer,
        wanted: `${pointer.slice(1)}: ${wanted.replace(" or null", "")}`,
        got: valueAt(library, pointer),
      });
  }
  for (const key of KEYS) {
    if (!Object.hasOwn(library, key) || (library[key] === null && key !== "patterns"))
      list.error("R-2.4/top-level", {
        at: Object.hasOwn(library, key) ? `/${key}` : "",
        wanted: `the key ${key}`,
        got: library[key],
      });
  }
  for (const key of Object.keys(library)) {
    if (!KEYS.includes(key))
      list.error("R-2.4/top-level", { at: below("", key), wanted: "no other key beside the three", got: library[key] });
  }
  const patterns: JsonValue[] | undefined = Array.isArray(library.patterns) ? library.patterns : undefined;
  const ids = patterns && judgePatterns(patterns, list);
  if (isObject(library.agent_contributions)) judgeContributions(library.agent_contributions, patterns ?? [], ids, list);
  if (isObject(library.metadata)) judgeMetadata(library.metadata, patterns?.length, list);
}

/** The outermost of the library for its schema: what lies deeper is judged piece by piece, however many there are. */
function shellOf(library: JsonObject): Record<string, unknown> {
  const shell = (value: JsonValue | undefined): unknown =>
    Array.isArray(value) ? [] : isObject(value) && !isNumberToken(value) ? {} : isNumberToken(value) ? 0 : value;
  return Object.fromEntries(KEYS.filter((key) => Object.hasOwn(library, key)).map((key) => [key, shell(library[key])]));
}

/** Judges every pattern. @returns the ids that there are. */
function judgePatterns(patterns: JsonValue[], list: FindingList): Set<string> {
  const ids = new Set<string>();
  for (const [index, pattern] of patterns.entries()) {
    const at = below("/patterns", index);
    judgePattern(pattern, at, list);
    const id = isObject(pattern) ? pattern.id : undefined;
    if (typeof id !== "string") continue;
    if (ids.has(id))
      list.error("R-2.1/id.primary-key", { at: below(at, "id"), wanted: "an id that no other pattern has", got: id });
    ids.add(id);
  }
  return ids;
}
