import type { Finding } from "../inspect/findings.ts";
import { below, isObject, valueAt } from "../values/json_value.ts";
import type { JsonObject, JsonValue } from "../values/json_value.ts";
import { isNumber, sameNumber } from "../values/numbers.ts";
import { readStrictJson } from "../values/strict_json.ts";
import type { StrictReading } from "../values/strict_json.ts";
import { suiteText } from "../inspect/suite_text.ts";
import type { FindingList } from "./finding_list.ts";
import { judgeDocument } from "./json_document.ts";
import { judgePattern } from "./judge_pattern.ts";
import { isNumberToken, productViolations } from "./product_schemas.ts";
import { idFault, timestampFormat } from "./text_format.ts";

const METADATA = "/metadata";
const CONTRIBUTIONS = "R-2.4/agent-contributions";
const KEYS = ["patterns", "agent_contributions", "metadata"];

/**
 * Judges the bytes of a pattern library file (section 2.4). Both lines share the format.
 * @returns the findings; an empty list for a correct file.
 * @example judgeLibraryBytes(readFileSync("library.json")).filter(({ level }) => level === "error")
 */
export function judgeLibraryBytes(bytes: Uint8Array): Finding[] {
  return judgeLibrary(readStrictJson(bytes));
}

/** Like {@link judgeLibraryBytes}, for a file that was already read. */
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
      list.error("R-2.4/top-level", {
        at: below("", key),
        wanted: `only the keys ${KEYS.join(", ")}`,
        got: library[key],
      });
  }
  const patterns: JsonValue[] | undefined = Array.isArray(library.patterns) ? library.patterns : undefined;
  const ids = patterns && judgePatterns(patterns, list);
  if (isObject(library.agent_contributions)) judgeContributions(library.agent_contributions, patterns ?? [], ids, list);
  if (isObject(library.metadata)) judgeMetadata(library.metadata, patterns?.length, list);
}

/**
 * The outermost level of the library for its schema; deeper values are judged one by one, because there may be very
 * many.
 */
function shellOf(library: JsonObject): Record<string, unknown> {
  const shell = (value: JsonValue | undefined): unknown =>
    Array.isArray(value) ? [] : isObject(value) && !isNumberToken(value) ? {} : isNumberToken(value) ? 0 : value;
  return Object.fromEntries(KEYS.filter((key) => Object.hasOwn(library, key)).map((key) => [key, shell(library[key])]));
}

/** Judges every pattern. @returns their ids. */
function judgePatterns(patterns: JsonValue[], list: FindingList): Set<string> {
  const ids = new Set<string>();
  for (const [index, pattern] of patterns.entries()) {
    const at = below("/patterns", index);
    judgePattern(pattern, at, list);
    const id = isObject(pattern) ? pattern.id : undefined;
    if (typeof id !== "string") continue;
    if (ids.has(id)) list.error("R-2.1/id.primary-key", { at: below(at, "id"), wanted: "a unique id", got: id });
    ids.add(id);
  }
  return ids;
}

/**
 * Judges the `metadata` of a library.
 * @param patterns number of patterns in the file; undefined if it cannot be determined.
 */
function judgeMetadata(metadata: JsonObject, patterns: number | undefined, list: FindingList): void {
  for (const [key, judge] of Object.entries(METADATA_KEYS)) {
    const value = metadata[key];
    if (value === undefined)
      list.error("R-2.4/metadata", { at: METADATA, wanted: `the key ${key} of the metadata`, got: undefined });
    else judge(value, below(METADATA, key), list, patterns);
  }
  for (const key of Object.keys(metadata)) {
    if (!Object.hasOwn(METADATA_KEYS, key))
      list.remark("U-format-version", {
        at: below(METADATA, key),
        wanted: "only the keys saved_at, pattern_count and version; other keys are ignored",
        got: metadata[key],
      });
  }
}

type MetadataRule = (got: JsonValue, at: string, list: FindingList, patterns: number | undefined) => void;

/** The keys of `metadata`. */
const METADATA_KEYS: Readonly<Record<string, MetadataRule>> = {
  saved_at(got, at, list) {
    const format = typeof got === "string" ? timestampFormat(got) : undefined;
    if (!format)
      list.error("R-2.4/saved-at", { at, wanted: "saved_at, the time of saving as an ISO 8601 timestamp", got });
    else if (format.zone) list.remark("U-timestamps", { at, wanted: "saved_at without a zone", got });
  },
  pattern_count(got, at, list, patterns) {
    if (isNumber(got) && (patterns === undefined || sameNumber(patterns, got))) return;
    const wanted = `pattern_count, the number of patterns in the file${patterns === undefined ? "" : `: ${patterns}`}`;
    list.error("R-2.4/pattern-count", { at, wanted, got });
  },
  version(got, at, list) {
    if (typeof got !== "string") list.error("R-2.4/version", { at, wanted: "version, a string", got });
    else if (got !== "1.0")
      list.error("R-9/file-version", { at, wanted: 'version "1.0", which marks the described format', got });
  },
};

/**
 * Judges `agent_contributions`. The specification does not require that it names only existing patterns, or every
 * pattern under its owner: field layouts differ, and are read unchanged.
 * @param ids the ids of all patterns; undefined if the file has no array of them.
 */
function judgeContributions(
  contributions: JsonObject,
  patterns: JsonValue[],
  ids: Set<string> | undefined,
  list: FindingList,
): void {
  const named = new Map<string, Set<string>>();
  for (const [agent, contributed] of Object.entries(contributions)) {
    const at = below("/agent_contributions", agent);
    if (idFault(agent) !== undefined)
      list.remark("U-text", {
        at,
        wanted: "a non-empty agent id without NUL and lone surrogates",
        got: suiteText(`${idFault(agent)}: ${JSON.stringify(agent)}`),
      });
    if (!Array.isArray(contributed)) {
      list.error(CONTRIBUTIONS, { at, wanted: "an array of ids for each agent", got: contributed });
      continue;
    }
    named.set(agent, new Set());
    for (const [index, id] of contributed.entries()) {
      const place = below(at, index);
      if (typeof id !== "string")
        list.error(CONTRIBUTIONS, { at: place, wanted: "the id of a pattern, a string", got: id });
      else if (ids && !ids.has(id))
        list.remark("U-contributions", { at: place, wanted: "the id of a pattern in the file", got: id });
      else named.get(agent)?.add(id);
    }
  }
  for (const [index, pattern] of patterns.entries()) {
    if (!isObject(pattern) || typeof pattern.id !== "string" || typeof pattern.agent_id !== "string") continue;
    if (!named.get(pattern.agent_id)?.has(pattern.id))
      list.remark("U-contributions", {
        at: below(below("/patterns", index), "agent_id"),
        wanted: "an agent whose contributions include the pattern",
        got: pattern.agent_id,
      });
  }
}
