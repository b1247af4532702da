import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ErrorObject } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { packageRoot } from "../package_root.ts";
import { escapeControls } from "./escape.ts";

/** Schemas of this suite. */
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

/** Name of a schema of this suite. */
type SchemaName = (typeof NAMES)[number];

let compiled: Ajv2020 | undefined;

/**
 * Checks a value against a shipped schema, or a definition inside it.
 * @returns the first violations in words; an empty list for a valid value.
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
    // The validator is recursive.
    if (error instanceof RangeError) return ["the document is nested too deeply"];
    throw error;
  }
}

function load(): Ajv2020 {
  // Compiling the schema of schemas would take longer than compiling ours, which a test checks.
  const ajv = new Ajv2020({ allowUnionTypes: true, strictTypes: false, validateSchema: false });
  for (const name of NAMES) {
    ajv.addSchema(JSON.parse(readFileSync(join(packageRoot(), "schemas", `${name}.schema.json`), "utf8")) as object);
  }
  return ajv;
}

function describe(errors: ErrorObject[]): string[] {
  // A failed alternative reports every branch; the deepest violation is the most useful.
  const deepest = errors.toSorted((a, b) => b.instancePath.length - a.instancePath.length).slice(0, 3);
  return deepest.map((error) => {
    const detail = detailOf(error);
    return `${error.instancePath === "" ? "the document" : cut(error.instancePath)} ${error.message ?? "is invalid"}${detail}`;
  });
}

/** Keys come from foreign files: a message shows a readable part of them, without control characters. */
function cut(text: string): string {
  const shown = escapeControls(text.slice(0, LONGEST));
  return text.length > LONGEST ? `${shown}…` : shown;
}

const LONGEST = 200;

/** Detail that the validator's message leaves out: the additional key, or the allowed values. */
function detailOf({ params }: ErrorObject): string {
  const { additionalProperty, allowedValues, allowedValue } = params as Record<string, unknown>;
  if (additionalProperty !== undefined) return ` (${cut(JSON.stringify(additionalProperty))})`;
  if (Array.isArray(allowedValues)) return `: ${allowedValues.map(String).join(", ")}`;
  return allowedValue === undefined ? "" : `: ${JSON.stringify(allowedValue)}`;
}
