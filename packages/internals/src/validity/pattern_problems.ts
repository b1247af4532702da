import { toDouble } from "../json/exact_numbers.ts";
import { tokenReason } from "../json/strict_parser.ts";
import { isRawNumber, isTooDeep, MAX_DEPTH, pointerTo } from "../json/values.ts";
import { PATTERN_FIELDS } from "./pattern_fields.ts";
import { describe, quote } from "../text/describe.ts";
import { identifierFault } from "../text/identifiers.ts";
import { isTimestamp, TIMESTAMP_TEXT } from "../text/timestamps.ts";
import { convertTimestamp } from "./convert_timestamp.ts";
import type { PatternCode } from "./pattern_kinds.ts";

/** One reason why version 16 cannot read a pattern. */
export interface PatternProblem {
  code: PatternCode;
  /** The field, also one that 16 does not know; undefined if the problem does not concern exactly one field. */
  field: string | undefined;
  /** JSON Pointer of the offending value from the pattern, or of a field that is missing. */
  pointer: string;
  value: unknown;
  /** `expected …, got …`, as the loads say it. */
  reason: string;
  /** True if the schema of a pattern does not express it. */
  beyondSchema: boolean;
}

type Values = Readonly<Record<string, unknown>>;

/**
 * Finds all problems of a pattern: what version 16 cannot read, and nothing else. `isOrdinaryPattern` is the fast check
 * that nearly all patterns pass; this one is for the others. Tokens in `context` are not searched: see
 * {@link tokenProblems}.
 */
export function patternProblems(pattern: unknown): PatternProblem[] {
  if (typeof pattern !== "object" || pattern === null || Array.isArray(pattern))
    return [
      {
        code: "not_an_object",
        field: undefined,
        pointer: "",
        value: pattern,
        reason: `expected object, got ${describe(pattern)}`,
        beyondSchema: false,
      },
    ];
  const values = pattern as Values;
  const found = [
    ...REQUIRED.filter((field) => values[field] === undefined).map(absent),
    ...REQUIRED.flatMap((field) => (values[field] === undefined ? [] : requiredProblem(field, values[field]))),
    ...OPTIONAL.flatMap((field) => {
      const value = values[field];
      return value === undefined || value === null ? [] : CHECKS[field](field, value);
    }),
  ];
  return found.every(({ beyondSchema }) => !beyondSchema)
    ? found
    : [...found.filter(({ beyondSchema }) => !beyondSchema), ...found.filter(({ beyondSchema }) => beyondSchema)];
}

const REQUIRED = ["id", "agent_id", "pattern_type", "name"] as const;
const OPTIONAL = PATTERN_FIELDS.filter(
  (field): field is Exclude<(typeof PATTERN_FIELDS)[number], (typeof REQUIRED)[number]> =>
    !REQUIRED.some((required) => required === field),
);

function problem(
  code: PatternCode,
  field: string,
  value: unknown,
  reason: string,
  { pointer = `/${field}`, beyondSchema = false }: Partial<PatternProblem> = {},
): PatternProblem {
  return { code, field, pointer, value, reason, beyondSchema };
}

function absent(field: string): PatternProblem {
  return problem("missing", field, undefined, `the required field ${quote(field)} is missing`);
}

/** A number that is not finite has one kind wherever it is; text is expected in most places. */
function mistyped(field: string, value: unknown, expected: string, pointer?: string): PatternProblem {
  const isNonFinite = typeof value === "number" && !Number.isFinite(value);
  return problem(
    isNonFinite ? "non_finite" : "wrong_type",
    field,
    value,
    `expected ${expected}, got ${describe(value)}`,
    {
      pointer: pointer ?? `/${field}`,
    },
  );
}

function requiredProblem(field: (typeof REQUIRED)[number], given: unknown): PatternProblem[] {
  const value = toDouble(given);
  if (value === null) return [problem("missing", field, value, "expected string, got null")];
  const isId = field === "id" || field === "agent_id";
  if (typeof value !== "string") {
    const wrong = mistyped(field, given, "string");
    const code = typeof value === "number" ? "number_as_id" : value instanceof Uint8Array ? "blob_as_id" : undefined;
    return [isId && code !== undefined && wrong.code === "wrong_type" ? { ...wrong, code } : wrong];
  }
  const fault = isId ? identifierFault(value) : undefined;
  return fault === undefined ? [] : [problem(value === "" ? "empty" : "characters", field, value, fault)];
}

type Check = (field: string, value: unknown) => PatternProblem[];

const textProblem: Check = (field, value) =>
  typeof value === "string" ? [] : [mistyped(field, value, "string or null")];

const contextProblem: Check = (field, value) => {
  // An exact number is an object in JavaScript, but not in JSON.
  if (isRawNumber(value)) return [{ ...mistyped(field, value, "object or null"), beyondSchema: true }];
  if (typeof value !== "object" || Array.isArray(value)) return [mistyped(field, value, "object or null")];
  // Version 16 could read it, but not save the library again.
  return isTooDeep(value)
    ? [
        problem("too_deep", field, undefined, `expected at most ${MAX_DEPTH} levels of nesting, got more`, {
          beyondSchema: true,
        }),
      ]
    : [];
};

const numberProblem: Check = (field, given) => {
  const value = toDouble(given);
  if (typeof value !== "number") return [mistyped(field, value, "number or null")];
  return Number.isFinite(value) ? [] : [mistyped(field, value, "finite number or null")];
};

const countProblem: Check = (field, given) => {
  const value = toDouble(given);
  if (typeof value !== "number" || !Number.isFinite(value)) return [mistyped(field, value, "integer or null")];
  if (!Number.isInteger(value))
    return [problem("not_an_integer", field, value, `expected integer or null, got ${describe(value)}`)];
  const limit = Number.MAX_SAFE_INTEGER;
  if (Math.abs(value) <= limit) return [];
  const bound = value < 0 ? `>= ${-limit}` : `<= ${limit}`;
  return [problem("out_of_range", field, value, `must be ${bound}, got ${describe(value)}`)];
};

const tagsProblems: Check = (field, value) => {
  if (!Array.isArray(value)) return [mistyped(field, value, "array or null")];
  return value.flatMap((tag: unknown, index) =>
    typeof tag === "string" ? [] : [mistyped(field, tag, "string", `/tags/${index}`)],
  );
};

const timestampProblem: Check = (field, given) => {
  const value = toDouble(given);
  if (typeof value === "string" && isTimestamp(value)) return [];
  const found = convertTimestamp(value, "drop-zone")?.fault;
  const code =
    found === undefined
      ? typeof value === "string"
        ? "timestamp_invalid"
        : "wrong_type"
      : (`timestamp_${found}` as const);
  if (typeof value !== "string") {
    const wrong = mistyped(field, given, "string or null");
    return [wrong.code === "non_finite" ? wrong : { ...wrong, code }];
  }
  const isComplete = COMPLETE.test(value);
  const reason = `expected ${TIMESTAMP_TEXT}${isComplete ? " of the calendar" : ""}, got ${describe(value)}`;
  return [problem(code, field, value, reason, { beyondSchema: isComplete })];
};

/** The notation of a timestamp, which may still not exist in the calendar. */
const COMPLETE = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d{1,6})?$/;

const CHECKS: Readonly<Record<(typeof OPTIONAL)[number], Check>> = {
  description: textProblem,
  context: contextProblem,
  code: textProblem,
  confidence: numberProblem,
  usage_count: countProblem,
  success_count: countProblem,
  failure_count: countProblem,
  tags: tagsProblems,
  discovered_at: timestampProblem,
  last_used: timestampProblem,
};

/** Numbers that are not finite, in any depth of a value that was read with `"number"` in the place of tokens. */
export function nonFinitePlaces(value: unknown, base = ""): { pointer: string; value: number }[] {
  const found: { pointer: string; value: number }[] = [];
  const open: [pointer: string, value: unknown][] = [[base, value]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [pointer, held] = next;
    if (typeof held === "number" && !Number.isFinite(held)) found.push({ pointer, value: held });
    else if (typeof held === "object" && held !== null && !isRawNumber(held)) {
      const members = Object.entries(held);
      for (let at = members.length - 1; at >= 0; at -= 1) {
        const [key, member] = members[at] as [string, unknown];
        if (typeof member === "number" ? !Number.isFinite(member) : typeof member === "object" && member !== null)
          open.push([pointerTo(pointer, key), member]);
      }
    }
  }
  return found;
}

/**
 * The problems of a pattern that was read from text with tokens that are not JSON, as numbers: first the tokens, in any
 * depth, then the others.
 */
export function tokenProblems(pattern: unknown): PatternProblem[] {
  const tokens = nonFinitePlaces(pattern).map(({ pointer, value }) =>
    problem(
      "non_finite",
      pointer.split("/")[1]?.replaceAll("~1", "/").replaceAll("~0", "~") ?? "",
      value,
      tokenReason(String(value)),
      { pointer },
    ),
  );
  const known = new Set(tokens.map(({ pointer }) => pointer));
  const problems = patternProblems(pattern);
  if (problems[0]?.code === "not_an_object") return problems;
  // A number beyond the range of a double is infinite, too, but no token.
  return [...tokens, ...problems.filter(({ code, pointer }) => code !== "non_finite" || !known.has(pointer))];
}
