import type { JsonValue } from "../../values/json_value.ts";
import { eachObject, writesEach, writesField } from "./json_faults.ts";
import { rewrites, row } from "./mutations.ts";
import type { Mutant } from "./mutations.ts";

/** Values of patterns that are written wrong: numbers, context, tags, timestamps, unusual characters. */
export const JSON_VALUE_MUTANTS: readonly Mutant[] = [
  row(
    "writes context as text",
    "R-2.1/context.object",
    16,
    "patterns-json/context-object",
    writesField("context", (context) => JSON.stringify(context)),
  ),
  row(
    "leaves out members of a context that are null",
    "R-2.1/context.object",
    15,
    "patterns-json/context-object",
    writesField("context", (context) =>
      eachObject(context, (object) =>
        Object.fromEntries(Object.entries(object).filter(([, member]) => member !== null)),
      ),
    ),
  ),
  row(
    "writes tags as one text",
    "R-2.1/tags.array",
    16,
    "patterns-json/tags-array",
    writesField("tags", (tags) => (tags as string[]).join(",")),
  ),
  row(
    "sorts tags",
    "R-2.1/tags.array",
    15,
    "patterns-json/tags-array",
    writesField("tags", (tags) => (tags as string[]).toSorted()),
  ),
  row(
    "drops a tag that occurs twice",
    "R-2.1/tags.array",
    16,
    "patterns-json/tags-array",
    writesField("tags", (tags) => [...new Set(tags as JsonValue[])]),
  ),
  row(
    "adds a zone to timestamps",
    "R-2.1/timestamp.json",
    16,
    "patterns-json/timestamp-form",
    rewrites((text) => text.replace(/(T\d\d:\d\d:\d\d)"/g, '$1Z"')),
  ),
  row(
    "writes midnight as a date alone",
    "R-2.1/timestamp.json",
    15,
    "patterns-json/timestamp-edges",
    rewrites((text) => text.replaceAll('T00:00:00"', '"')),
  ),
  row(
    "moves timestamps out of the hour that daylight saving leaves out",
    "R-2.1/timestamp.json",
    16,
    "patterns-json/timestamp-edges",
    rewrites((text) => text.replaceAll("03-30T02:", "03-30T03:")),
  ),
  row(
    "writes updated_at into JSON",
    "R-2.1/updated-at.sqlite-only",
    16,
    "patterns-json/no-updated-at",
    writesEach((pattern) => (pattern.updated_at = "2025-01-01T00:00:00")),
  ),
  row(
    "trims text",
    "R-2.1/unicode",
    16,
    "patterns-json/unicode",
    writesField("name", (name) => (name as string).trim()),
  ),
  row(
    "normalises text",
    "R-2.1/unicode",
    15,
    "patterns-json/unicode",
    writesField("description", (text) => (text as string).normalize("NFC")),
  ),
  row(
    "drops line separators",
    "R-2.1/unicode",
    16,
    "patterns-json/unicode",
    writesField("code", (code) => (code as string).replaceAll(/[\u2028\u2029]/g, " ")),
  ),
];
