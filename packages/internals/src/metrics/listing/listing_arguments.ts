import { ValidationError } from "../../errors/errors.ts";
import { isPlainObject } from "../../json/values.ts";
import { describe } from "../../text/describe.ts";
import { assertText, identifierFault } from "../../text/identifiers.ts";
import { assertOptions } from "../../text/options.ts";
import type { ChosenRows } from "../chosen_rows.ts";
import { limitsAmong } from "../time_range.ts";
import type { ListOptions } from "./listing.ts";

/** A value that metadata must have under a key; null for no value. */
export type SearchedValue = string | number | boolean | null;

/** Checked settings of a list. */
export interface AskedList extends ChosenRows {
  success: boolean | undefined;
  where: readonly (readonly [key: string, value: SearchedValue])[];
  order: "newest" | "oldest";
}

/** Each of them is looked up in the metadata of each interaction. */
const MOST_CONDITIONS = 20;

/** @throws ValidationError that names the option. */
export function askedList(options: ListOptions = {}): AskedList {
  assertOptions("options", options, ["user_id", "success", "since", "until", "where", "order"]);
  const { user_id, success, since, until, where = {}, order = "newest" } = options;
  if (user_id !== undefined) assertText("user_id", user_id);
  if (success !== undefined && typeof success !== "boolean") refuse("success", "a boolean", success);
  if (order !== "newest" && order !== "oldest") refuse("order", '"newest" or "oldest"', order);
  return { user: user_id, success, range: limitsAmong({ since, until }), where: checkedWhere(where), order };
}

function checkedWhere(where: unknown): AskedList["where"] {
  if (!isPlainObject(where) || Object.keys(where).length > MOST_CONDITIONS)
    refuse("where", `an object with at most ${MOST_CONDITIONS} keys`, where);
  return Object.entries(where).map(([key, value]) => {
    const fault = identifierFault(key);
    if (fault !== undefined) throw new ValidationError(`${fault}.`, { argument: "where" });
    if (value !== null && !["string", "number", "boolean"].includes(typeof value))
      refuse(`where.${key}`, "text, a number, a boolean or null", value);
    return [key, value as SearchedValue] as const;
  });
}

function refuse(argument: string, expected: string, value: unknown): never {
  throw new ValidationError(`expected ${expected}, got ${describe(value)}.`, { argument });
}
