import type { StoredValue } from "../inspect/database_copy.ts";
import { NotJson, readJsonText } from "../values/json_reader.ts";
import { isObject } from "../values/json_value.ts";
import type { JsonValue } from "../values/json_value.ts";
import type { ValueFault, ValueRule } from "./judge_rows.ts";
import { isNumberToken } from "./product_schemas.ts";
import { idFault, timestampFormat } from "./text_format.ts";

const error = (requirement: string, wanted: string): ValueFault => ({ level: "error", requirement, wanted });
const remark = (requirement: string, wanted: string): ValueFault => ({ level: "remark", requirement, wanted });

/** Text. Null is allowed without `missing`, the requirement that forbids it. */
export function textRule(requirement: string, missing?: string): ValueRule {
  return (value) => {
    if (value === null) return missing === undefined ? undefined : error(missing, "a value");
    return typeof value === "string" ? undefined : error(requirement, "text");
  };
}

/** Id of a pattern, an agent or a user. Ids that a ruling refuses get a remark. */
export function idRule(requirement: string, missing: string): ValueRule {
  const text = textRule(requirement, missing);
  const fault = remark("U-text", "a non-empty id without NUL");
  return (value) => text(value) ?? (idFault(value as string) === undefined ? undefined : fault);
}

const EXACT = "an integer that a double represents exactly";

/**
 * An integer that is stored as an integer, or null.
 * @param beyond the ruling on integers that a double does not hold exactly; undefined if all are accepted.
 */
export function integerRule(requirement: string, storage: string, beyond?: string): ValueRule {
  return (value) => {
    if (value === null) return undefined;
    if (typeof value === "bigint")
      return beyond === undefined || Number.isSafeInteger(Number(value)) ? undefined : remark(beyond, EXACT);
    if (typeof value === "number" && Number.isSafeInteger(value))
      return remark(storage, "an integer stored as an integer");
    return error(requirement, "an integer");
  };
}

/**
 * A real number, or null.
 * @param infinite the ruling on infinite numbers.
 */
export function realRule(requirement: string, storage: string, infinite: string): ValueRule {
  return (value) => {
    if (value === null) return undefined;
    if (typeof value === "bigint") return remark(storage, "a number stored as a real");
    if (typeof value !== "number") return error(requirement, "a number");
    return Number.isFinite(value) ? undefined : remark(infinite, "a finite number");
  };
}

/** Words for booleans, in which a program may store them although SQLite has integers for them. */
const TRUTHS: ReadonlySet<unknown> = new Set(["t", "f", "true", "false"]);

/** A boolean in SQLite: 0 or 1. Other forms of a boolean get a remark. */
export function booleanRule(requirement: string, storage: string): ValueRule {
  return (value) => {
    if (value === null) return error(requirement, "a value");
    if (value === 0n || value === 1n) return undefined;
    const word = typeof value === "string" ? value.toLowerCase() : value;
    return value === 0 || value === 1 || TRUTHS.has(word)
      ? remark(storage, "a boolean stored as the integer 0 or 1")
      : error(requirement, "a boolean, 0 or 1");
  };
}

/** A level: an integer from 1 to 5. */
export function levelRule(missing: string): ValueRule {
  return (value) => {
    if (value === null) return error(missing, "a value");
    const level = Number(value);
    if (typeof value === "bigint" && level >= 1 && level <= 5) return undefined;
    if (typeof value === "number" && Number.isInteger(level) && level >= 1 && level <= 5)
      return remark("R-2.5/storage-classes", "a level stored as an integer");
    return error("R-2.5/levels", "an integer from 1 to 5");
  };
}

/** A format of timestamps that a ruling finds unusual if it does not fit. */
interface UsualFormat {
  wanted: string;
  fits(format: NonNullable<ReturnType<typeof timestampFormat>>): boolean;
}

/** A timestamp as text, or null. */
function timestampRule(requirement: string, usual?: UsualFormat & { ruling: string }): ValueRule {
  return (value) => {
    if (value === null) return undefined;
    const format = typeof value === "string" ? timestampFormat(value) : undefined;
    if (!format) return error(requirement, "a valid ISO 8601 timestamp as text");
    return usual === undefined || usual.fits(format) ? undefined : remark(usual.ruling, usual.wanted);
  };
}

/**
 * A moment whose form the specification leaves open: a timestamp as text, a number since 1970, or null.
 * @param ruling the ruling on numbers, and on unusual formats that name no ruling of their own.
 */
export function momentRule(requirement: string, ruling: string, usual?: UsualFormat & { ruling?: string }): ValueRule {
  const text = timestampRule(requirement, usual && { ruling, ...usual });
  return (value) =>
    typeof value === "bigint" || (typeof value === "number" && Number.isFinite(value))
      ? remark(ruling, "a timestamp as text")
      : text(value);
}

/** JSON stored as text, or null. */
export function jsonRule(requirement: string, wanted: string, fits: (value: JsonValue) => boolean): ValueRule {
  return (value) => {
    if (value === null) return undefined;
    const whole = `${wanted}, stored as text`;
    if (typeof value !== "string") return error(requirement, whole);
    let repeated: string | undefined;
    try {
      if (!fits(readJsonText(value, { repeated: (key) => void (repeated ??= key) }))) return error(requirement, whole);
    } catch (fault) {
      if (!(fault instanceof NotJson)) throw fault;
      return { ...error(requirement, whole), why: `${fault.message} (character ${fault.offset + 1})` };
    }
    return repeated === undefined
      ? undefined
      : { ...error(requirement, `${wanted} without repeated keys`), why: `${JSON.stringify(repeated)} occurs twice` };
  };
}

/** True for a JSON object. */
export const isJsonObject = (value: JsonValue): boolean => isObject(value) && !isNumberToken(value);

/** True for a JSON array of strings. */
export const isStringArray = (value: JsonValue): boolean =>
  Array.isArray(value) && value.every((item) => typeof item === "string");

/** Adds a remark on values that the rule accepts and a ruling does not. */
export function withRemark(
  rule: ValueRule,
  unusual: (value: StoredValue) => boolean,
  ruling: string,
  wanted: string,
): ValueRule {
  return (value) => rule(value) ?? (unusual(value) ? remark(ruling, wanted) : undefined);
}
