import type { Finding } from "../inspect/findings.ts";
import { below, isObject, valueAt } from "../values/json_value.ts";
import type { JsonObject, JsonValue } from "../values/json_value.ts";
import type { StrictReading } from "../values/strict_json.ts";
import type { Line } from "./file_report.ts";
import type { FindingList } from "./finding_list.ts";
import { judgeDocument } from "./json_document.ts";
import { plainNumbers, productViolations } from "./product_schemas.ts";
import type { ProductSchema } from "./product_schemas.ts";

/**
 * Judges the JSON that `export_metrics` wrote. The specification does not define its form, so there are only remarks.
 */
export function judgeExport(reading: StrictReading, line: Line): Finding[] {
  return judgeDocument(reading, "U-export", (value, list) => {
    if (!isObject(value)) return;
    const shell = Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shellOf(key, member)]));
    remarkOn(`v${line}:metrics-export`, plainNumbers(shell, 3), "", value, list);
    if (isObject(value.users))
      for (const [user, statistics] of Object.entries(value.users))
        judgePart("user-statistics", statistics, below("/users", user), value, list);
    if (Array.isArray(value.interactions))
      for (const [index, row] of value.interactions.entries())
        judgePart(`v${line}:interaction`, row, below("/interactions", index), value, list);
  });
}

/** The export without users and rows, which are judged one by one because there may be very many. */
function shellOf(key: string, member: JsonValue): JsonValue {
  if (key === "interactions" && Array.isArray(member)) return [];
  return key === "users" && isObject(member) ? {} : member;
}

function judgePart(schema: ProductSchema, part: JsonValue, at: string, document: JsonObject, list: FindingList): void {
  remarkOn(schema, plainNumbers(part, 1), at, document, list);
}

function remarkOn(schema: ProductSchema, part: unknown, at: string, document: JsonObject, list: FindingList): void {
  for (const { pointer, missing, wanted } of productViolations(schema, part)) {
    const place = at + pointer;
    const name = (at === "" ? pointer : pointer.slice(1)).replace(/^\//, "");
    list.remark(
      "U-export",
      missing === undefined
        ? { at: place, wanted: `${name === "" ? "an entry" : name}: ${wanted}`, got: valueAt(document, place) }
        : { at: place, wanted: `the key ${missing}`, got: undefined },
    );
  }
}
