import { violations } from "../values/schemas.ts";
import { escapeControls } from "../values/escape.ts";
import { isObject } from "../values/json_value.ts";
import type { JsonValue } from "../values/json_value.ts";
import { parseJson } from "../values/parse_json.ts";
import { readStrictJson } from "../values/strict_json.ts";
import { AdapterFault } from "./channel.ts";
import type { Answer, Request } from "./messages.ts";

const DEFINITIONS: Partial<Record<Request["type"], string>> = {
  hello: "answer_to_hello",
  settle: "answer_to_settle",
};

/** An answer of a known type is judged as that type, so a message names no fault of the other types. */
const DEFINITIONS_OF_CALLS: ReadonlyMap<unknown, string> = new Map([
  ["ok", "call_ok"],
  ["error", "call_error"],
  ["unsupported", "call_unsupported"],
]);

function definitionOf(answer: unknown, { type }: Request): string {
  if (type !== "call") return DEFINITIONS[type] ?? "answer_plain";
  return (isObject(answer) ? DEFINITIONS_OF_CALLS.get(answer.type) : undefined) ?? "call_type";
}

/**
 * Reads an adapter's answer and checks it against the protocol's schema.
 * @throws {AdapterFault} naming the fault, its place and an excerpt.
 */
export function checkAnswer(reply: string, request: Request): Answer {
  const breach = (what: string): AdapterFault => new AdapterFault("protocol-error", `the adapter's answer ${what}`);
  const noise = noiseFault([reply]);
  if (noise !== undefined) throw new AdapterFault("protocol-error", noise);
  let answer: unknown;
  try {
    answer = parseJson(reply);
  } catch {
    throw breach(`is not JSON: ${whereNotJson(reply)}`);
  }
  const theirs = violations("protocol", withoutFitValue(answer), definitionOf(answer, request));
  if (theirs.length > 0) throw breach(`is invalid: ${theirs.join("; ")}; received ${excerpt(reply, 0)}`);
  const { seq } = answer as Answer;
  if (seq !== request.seq)
    throw new AdapterFault("protocol-error", `the adapter answered with seq ${seq} instead of ${request.seq}`);
  return answer as Answer;
}

/**
 * The answer without a value that is certainly in the protocol's form: its validator takes longer than all other work on
 * an answer. It judges everything else, and words every fault.
 */
function withoutFitValue(answer: unknown): unknown {
  return isObject(answer) && answer.value !== undefined && isProtocolValue(answer.value, 0)
    ? { ...answer, value: null }
    : answer;
}

/** Maximum nesting of a value that the validator need not judge. */
const SHALLOW = 1000;

/** True for a value in the protocol's form, with finite numbers and correct tagged ones. */
function isProtocolValue(value: JsonValue, depth: number): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || value === null) return true;
  if (depth === SHALLOW) return false;
  if (Array.isArray(value)) return value.every((item) => isProtocolValue(item, depth + 1));
  const { $int: whole, $number: number } = value;
  if (whole === undefined && number === undefined)
    return Object.keys(value).every((key) => isProtocolValue(value[key] as JsonValue, depth + 1));
  if (Object.keys(value).length > 1) return false;
  return whole === undefined ? typeof number === "string" : typeof whole === "string" && /^[+-]?\d+$/.test(whole);
}

function whereNotJson(reply: string): string {
  const fault = readStrictJson(Buffer.from(reply)).faults[0];
  const offset = fault?.offset ?? 0;
  const hint = /^-?(NaN|Infinity)/.test(reply.slice(offset))
    ? '; JSON has no such number: send {"$number": "NaN"}, "Infinity" or "-Infinity"'
    : "";
  return `at character ${offset + 1}, ${excerpt(reply, offset)}${hint}`;
}

/** The text around an offset, in quotes. */
function excerpt(reply: string, offset: number): string {
  const start = Math.max(0, offset - 40);
  const end = offset + 120;
  return escapeControls(
    JSON.stringify(`${start > 0 ? "…" : ""}${reply.slice(start, end)}${end < reply.length ? "…" : ""}`),
  );
}

/**
 * Message for output that is not an answer. The same line always gets the same message, because only timing decides
 * whether it arrives alone or together with an answer.
 * @param lines the output, without line feeds.
 */
export function noiseFault(lines: readonly string[]): string | undefined {
  const noise = lines.find((line) => !line.startsWith("{"));
  if (noise === undefined) return undefined;
  const shown = escapeControls(JSON.stringify(noise.length > 120 ? `${noise.slice(0, 120)}…` : noise));
  return `the adapter wrote text that is not an answer to standard output: ${shown}. Standard output is for answers only; write messages to standard error`;
}
