import { isObject, isTaggedNumber, type JsonObject, type JsonValue } from "../values/json_value.ts";
import { timestampWords } from "./timestamp.ts";

/**
 * An expectation for a reader: JSON, in which matchers and names are in words. Numbers that a double would change have
 * their digits.
 */
export function describe(expected: JsonValue): string {
  if (Array.isArray(expected)) return `[${expected.map(describe).join(",")}]`;
  if (!isObject(expected)) return JSON.stringify(expected);
  if (isTaggedNumber(expected)) return String(Object.values(expected)[0]);
  const name = Object.keys(expected).find((key) => Object.hasOwn(WORDS, key));
  if (name !== undefined) return (WORDS[name] as Words)(expected[name] as JsonValue, expected);
  return `{${Object.entries(expected)
    .map(([key, member]) => `${JSON.stringify(key)}:${describe(member)}`)
    .join(",")}}`;
}

type Words = (operand: JsonValue, matcher: JsonObject) => string;

const WORDS: Readonly<Record<string, Words>> = {
  $any: () => "anything",
  $type: (type) => `a value of type ${String(type)}`,
  $near: (operand) => (operand as number[]).join(" ± "),
  $between: (operand) => `a number from ${(operand as number[]).join(" to ")}`,
  $oneOf: (choices) => `one of ${describe(choices)}`,
  $set: (items) => `${describe(items)} in any order`,
  $absentOr: (operand) => `nothing, or ${describe(operand)}`,
  $lines: (lines) => `a text of at least ${String(lines)} lines`,
  $timestamp: (format, { recent, moment, utc }) =>
    [
      timestampWords(String(format)),
      ...(recent === true ? [`of the current time${utc === true ? " in UTC" : ""}`] : []),
      ...(typeof moment === "string" ? [`of ${moment}`] : []),
    ].join(" "),
  $path: (path) => JSON.stringify(path),
  $var: (variable) => `the answer ${String(variable)}`,
  $data: (data, { with: changes }) =>
    `the value ${String(data)}${changes === undefined ? "" : ` with ${describe(changes)}`}`,
  $repeat: (recipe) => {
    const { text, item, times } = recipe as JsonObject;
    return `${String(times)} times ${describe((text ?? item) as JsonValue)}`;
  },
};
