import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ErrorObject } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { packageRoot } from "../package_root.ts";
import { escapeControls } from "../values/escape.ts";

/** The schemas that this suite ships. */
const NAMES = [
  "case",
  "requirements",
  "protocol",
  "report",
  "summary",
  "expected-failures",
  "profile",
  "file-report",
  "table-dump",
] as const;

/** The name of a schema that this suite ships. */
type SchemaName = (typeof NAMES)[number];

let compiled: Ajv2020 | undefined;

/**
 * Checks a value against a shipped schema, or a definition inside it.
 * @returns the first few violations in words; an empty list when the value is valid.
 * @example violations("protocol", request, "request")
 */
export function violations(schema: SchemaName, value: unknown, definition?: string): string[] {
  compiled ??= load();
  const reference = `urn:perdura:conformance:${schema}${definition === undefined ? "" : `#/$defs/${definition}`}`;
  const validate = compiled.getSchema(reference);
  if (!validate) throw new Error(`the schema ${reference} is not part of this suite`);
  try {
    return validate(value) ? [] : describe(validate.errors ?? []);
  } catch (error) {
    // The validator goes down into the document by calling itself.
    if (error instanceof RangeError) return ["the document is nested too deep"];
    throw error;
  }
}

function load(): Ajv2020 {
  const ajv = new Ajv2020({ allowUnionTypes: true, strictTypes: false });
  for (const name of NAMES) {
    ajv.addSchema(JSON.parse(readFileSync(join(packageRoot(), "schemas", `${name}.schema.json`), "utf8")) as object);
  }
  return ajv;
}

function describe(errors: ErrorObject[]): string[] {
  // A failed alternative reports every branch: the deepest complaint is the one that helps.
  const deepest = errors.toSorted((a, b) => b.instancePath.length - a.instancePath.length).slice(0, 3);
  return deepest.map((error) => {
    const detail = detailOf(error);
    return `${error.instancePath === "" ? "the document" : cut(error.instancePath)} ${error.message ?? "is invalid"}${detail}`;
  });
}

/** Keys come from others: a sentence shows no more of them than can be read, and nothing that a terminal would obey. */
function cut(text: string): string {
  const shown = escapeControls(text.slice(0, LONGEST));
  return text.length > LONGEST ? `${shown}…` : shown;
}

const LONGEST = 200;

/** What a message of the validator leaves out: the key that is too many, the values that are allowed. */
function detailOf({ params }: ErrorObject): string {
  const { additionalProperty, allowedValues, allowedValue } = params as Record<string, unknown>;
  if (additionalProperty !== undefined) return ` (${cut(JSON.stringify(additionalProperty))})`;
  if (Array.isArray(allowedValues)) return `: ${allowedValues.map(String).join(", ")}`;
  return allowedValue === undefined ? "" : `: ${JSON.stringify(allowedValue)}`;
}
