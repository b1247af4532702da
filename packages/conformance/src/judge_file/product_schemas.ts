import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { packageRoot } from "../package_root.ts";
import { isTaggedNumber, tokenOf } from "../values/json_value.ts";
import type { JsonValue, TaggedNumber } from "../values/json_value.ts";

/** Schemas of the data that the layer stores and returns, by the end of their `$id`. */
export type ProductSchema =
  | "pattern-library"
  | "pattern"
  | "v15:collaboration-state"
  | `v${"15" | "16"}:metrics-export`
  | `v${"15" | "16"}:interaction`
  | "user-statistics"
  | "global-statistics"
  | `v${"15" | "16"}:configuration`;

/** One violation of a schema. */
export interface Violation {
  /** JSON Pointer of the value at fault, or of the object that lacks a member. */
  pointer: string;
  /** The violated keyword of JSON Schema: `type`, `required`, `pattern`. */
  keyword: string;
  /** For `required`: the missing member. */
  missing?: string;
  /** The expected value, in words. */
  wanted: string;
}

let compiled: Ajv2020 | undefined;

/**
 * Checks a value against a product schema.
 * @param value with plain numbers, from {@link plainNumbers}.
 * @returns every violation; an empty list for a valid value.
 * @example productViolations("pattern", { id: "p1" }) // agent_id, pattern_type and name are missing
 */
export function productViolations(schema: ProductSchema, value: unknown): Violation[] {
  compiled ??= load();
  const validate = compiled.getSchema(`urn:perdura:schema:${schema}`);
  if (!validate) throw new Error(`the product schema ${schema} is not part of this suite`);
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, keyword, params, message }) => {
    const { type, missingProperty } = params as { type?: string | string[]; missingProperty?: string };
    return {
      pointer: instancePath,
      keyword,
      ...(missingProperty === undefined ? {} : { missing: missingProperty }),
      wanted:
        keyword === "false schema"
          ? "no such key"
          : type === undefined
            ? (message ?? "a valid value")
            : typeWords(type),
    };
  });
}

/** A type of JSON Schema in words: `a string or null`. */
function typeWords(type: string | string[]): string {
  const words: Record<string, string> = {
    string: "a string",
    object: "an object",
    array: "an array",
    number: "a number",
    integer: "an integer",
    boolean: "true or false",
    null: "null",
  };
  return [type]
    .flat()
    .map((name) => words[name] ?? name)
    .join(" or ");
}

/** In the source tree the schemas are at the root of the repository; the build copies them into the package. */
function folder(): string {
  const places = [join(packageRoot(), "..", "..", "schemas"), join(packageRoot(), "schemas", "product")];
  const found = places.find((place) => existsSync(join(place, "pattern_library.schema.json")));
  if (found === undefined)
    throw new Error(
      `pattern_library.schema.json was not found in ${places.join(" or ")}: the package is incomplete; install it again`,
    );
  return found;
}

function load(): Ajv2020 {
  // As for the schemas of this suite: a test checks them.
  const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true, strictTypes: false, validateSchema: false });
  const place = folder();
  for (const name of readdirSync(place, { recursive: true, encoding: "utf8" }).toSorted())
    if (name.endsWith(".schema.json")) ajv.addSchema(JSON.parse(readFileSync(join(place, name), "utf8")) as object);
  return ajv;
}

/** True for a number that is kept as text. An object from a file that only looks like one has no prototype. */
export function isNumberToken(value: unknown): value is TaggedNumber {
  return isTaggedNumber(value) && Object.getPrototypeOf(value) !== null;
}

/** True for a number whose nearest double is infinite. */
export function isBeyondDouble(value: unknown): boolean {
  return isNumberToken(value) && !Number.isFinite(Number(tokenOf(value)));
}

/**
 * Converts a value for a schema: exact numbers become the nearest doubles, which is exact enough for types and ranges.
 * @param levels depth of the schema; deeper values stay unchanged.
 */
export function plainNumbers(value: JsonValue, levels: number): unknown {
  if (isNumberToken(value)) return Number(tokenOf(value));
  if (levels === 0 || typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => plainNumbers(item, levels - 1));
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, plainNumbers(member, levels - 1)]));
}
