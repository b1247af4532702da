import { isTaggedNumber, tokenOf } from "../../values/json_value.ts";
import type { JsonObject, JsonValue } from "../../values/json_value.ts";
import { eachObject, gives, type givesEach } from "./json_faults.ts";
import type { Mutation } from "./mutations.ts";
import { everyText } from "./sqlite_mutations.ts";

type Loading = Parameters<typeof givesEach>[0];

/** Changes every text in the patterns that a loading operation gives. */
export const givesText = (op: Loading, change: (text: string) => string): Mutation =>
  gives(op, (library) => (library.patterns = everyText(library.patterns, change) as JsonObject[]));

/** Changes every object in the patterns that a loading operation gives. */
export const givesObjects = (op: Loading, change: (object: JsonObject) => JsonValue): Mutation =>
  gives(op, (library) => (library.patterns = eachObject(library.patterns, change) as JsonObject[]));

/** Makes doubles of all numbers. */
export const rounds = (op: Loading): Mutation =>
  givesObjects(op, (object) => (isTaggedNumber(object) ? Number(tokenOf(object)) || 0 : object));
