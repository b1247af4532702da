import { isNumber, sameNumber } from "../values/numbers.ts";
import type { JsonObject, JsonValue } from "../values/json_value.ts";
import { below } from "../values/pointer.ts";
import type { FindingList } from "./finding_list.ts";
import { timestampForm } from "./timestamp_form.ts";

const AT = "/metadata";

/**
 * Judges the `metadata` of a library.
 * @param patterns how many patterns the file holds; undefined where that cannot be said.
 */
export function judgeMetadata(metadata: JsonObject, patterns: number | undefined, list: FindingList): void {
  judgeSavedAt(metadata.saved_at, list);
  judgeCount(metadata.pattern_count, patterns, list);
  judgeVersion(metadata.version, list);
  for (const key of Object.keys(metadata)) {
    if (!["saved_at", "pattern_count", "version"].includes(key))
      list.remark("U-format-version", {
        at: below(AT, key),
        wanted: "the keys saved_at, pattern_count and version: any other is ignored",
        got: metadata[key],
      });
  }
}

function judgeSavedAt(savedAt: JsonValue | undefined, list: FindingList): void {
  const requirement = "R-2.4/saved-at";
  const at = savedAt === undefined ? AT : `${AT}/saved_at`;
  const form = typeof savedAt === "string" ? timestampForm(savedAt) : undefined;
  if (!form)
    list.error(requirement, { at, wanted: "saved_at, the time of saving as an ISO 8601 timestamp", got: savedAt });
  else if (form.zone) list.remark("U-timestamps", { at, wanted: "saved_at without a zone", got: savedAt });
}

function judgeCount(count: JsonValue | undefined, patterns: number | undefined, list: FindingList): void {
  const at = count === undefined ? AT : `${AT}/pattern_count`;
  const fits = isNumber(count) && (patterns === undefined || sameNumber(patterns, count));
  if (!fits)
    list.error("R-2.4/pattern-count", {
      at,
      wanted: `pattern_count, the number of patterns in the file${patterns === undefined ? "" : `: ${patterns}`}`,
      got: count,
    });
}

function judgeVersion(version: JsonValue | undefined, list: FindingList): void {
  const at = version === undefined ? AT : `${AT}/version`;
  if (typeof version !== "string") list.error("R-2.4/version", { at, wanted: "version, a text", got: version });
  else if (/^1\.\d+$/.test(version)) {
    if (version !== "1.0")
      list.remark("U-format-version", { at, wanted: 'version "1.0"; any 1.x is read as 1.0', got: version });
  } else
    list.error("R-9/file-version", { at, wanted: 'version "1.0", which marks the described format', got: version });
}
