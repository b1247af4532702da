import type { JsonObject, JsonValue } from "../../../../packages/conformance/src/values/json_value.ts";

/** A change of the text of a library. */
export interface LibraryChange {
  name: string;
  apply: (text: string) => string;
}

/** A library whose form is known: the implementation wrote it. */
interface Library {
  patterns: JsonObject[];
  agent_contributions: JsonObject;
  metadata: JsonObject;
  [key: string]: JsonValue;
}

/** Changes the text unless `JSON.parse` would change a number or a key of it. */
const edits = (name: string, change: (library: Library) => void, print = JSON.stringify): LibraryChange => ({
  name,
  apply(text) {
    const library = JSON.parse(text) as Library;
    change(library);
    return print(library);
  },
});

const REQUIRED = ["id", "agent_id", "pattern_type", "name"];
const TEXTS = ["description", "code"];
const NUMBERS = ["confidence", "usage_count", "success_count", "failure_count"];
const TIMES = ["discovered_at", "last_used"];

const setField = (field: string, value: JsonValue): LibraryChange =>
  edits(`${field} is ${JSON.stringify(value)}`, ({ patterns }) => {
    for (const pattern of patterns) pattern[field] = value;
  });
const changeTime = (field: string, name: string, change: (text: string) => JsonValue): LibraryChange =>
  edits(`${field} ${name}`, ({ patterns }) => {
    for (const pattern of patterns) if (typeof pattern[field] === "string") pattern[field] = change(pattern[field]);
  });
const setMetadata = (key: string, value: JsonValue | undefined): LibraryChange =>
  edits(`metadata.${key} is ${JSON.stringify(value)}`, ({ metadata }) => {
    if (value === undefined) delete metadata[key];
    else metadata[key] = value;
  });

const shuffled = (value: JsonValue): JsonValue => {
  if (Array.isArray(value)) return value.map(shuffled);
  if (typeof value !== "object" || value === null) return value;
  const reversed = Object.entries(value).toReversed();
  return Object.fromEntries(reversed.map(([key, member]) => [key, shuffled(member)]));
};

/** Changes that keep the content and the form: other spellings of the same library. */
export const SPELLINGS: readonly LibraryChange[] = [
  edits(
    "keys backwards",
    () => undefined,
    (library) => JSON.stringify(shuffled(library as JsonValue)),
  ),
  edits(
    "indented with CRLF",
    () => undefined,
    (library) => JSON.stringify(library, null, 4).replaceAll("\n", "\r\n"),
  ),
  edits(
    "ASCII only",
    () => undefined,
    (library) =>
      JSON.stringify(library).replaceAll(
        /[^\u0000-\u007e]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
      ),
  ),
  {
    name: "counts with a fraction of zero",
    apply: (text) => text.replaceAll(/("(?:usage|success|failure|pattern)_count"\s*:\s*\d+)\b/g, "$1.0"),
  },
  { name: "blanks at the end", apply: (text) => `${text}\r\n\t ` },
  edits("more metadata", ({ metadata }) => (metadata.saved_by = "test")),
  edits("saved_at with a blank", ({ metadata }) => (metadata.saved_at = String(metadata.saved_at).replace("T", " "))),
];

/**
 * Changes that an open question allows where the value comes from another file, which only `run` knows: an
 * implementation may keep such values, but not write them of its own accord.
 */
export const KEPT_FROM_ELSEWHERE: readonly LibraryChange[] = [
  ...TIMES.map((field) => changeTime(field, "with a fraction", (text) => `${text}.000000`)),
  ...NUMBERS.map((field) => setField(field, null)),
];

/** Changes of the form, each of which breaks a statement of the specification. */
export const BREACHES: readonly LibraryChange[] = [
  { name: "byte order mark", apply: (text) => `\uFEFF${text}` },
  { name: "cut short", apply: (text) => text.trimEnd().slice(0, -1) },
  { name: "trailing comma", apply: (text) => text.trimEnd().replace(/\}$/, ",}") },
  { name: "text behind the end", apply: (text) => `${text}{}` },
  { name: "a key twice", apply: (text) => text.replace('"patterns"', '"patterns": [], "patterns"') },
  { name: "NaN", apply: (text) => text.replace(/"pattern_count"\s*:\s*\d+/, '"pattern_count": NaN') },
  { name: "an array", apply: (text) => `[${text}]` },
  ...["patterns", "agent_contributions", "metadata"].flatMap((key) => [
    edits(`without ${key}`, (library) => delete library[key]),
    ...[null, 5, "text"].map((value) => edits(`${key} is ${value}`, (library) => (library[key] = value))),
  ]),
  edits("another key at the top", (library) => (library.format = "1.0")),
  ...[...REQUIRED].flatMap((field) => [
    setField(field, null),
    setField(field, 5),
    edits(`without ${field}`, ({ patterns }) => patterns.forEach((pattern) => delete pattern[field])),
  ]),
  ...TEXTS.map((field) => setField(field, 5)),
  setField("context", "{}"),
  setField("context", []),
  setField("tags", "[]"),
  setField("tags", [5]),
  ...NUMBERS.flatMap((field) => [setField(field, "1"), setField(field, true)]),
  setField("usage_count", 1.5),
  setField("updated_at", "2025-01-01T00:00:00"),
  setField("rating", 5),
  ...TIMES.flatMap((field) => [
    setField(field, "yesterday"),
    setField(field, 5),
    changeTime(field, "with a zone", (text) => `${text}Z`),
    changeTime(field, "with an offset", (text) => `${text}+00:00`),
    changeTime(field, "with a blank", (text) => text.replace("T", " ")),
    changeTime(field, "without the time", (text) => text.slice(0, 10)),
    changeTime(field, "of a day that does not exist", (text) => `2025-02-30${text.slice(10)}`),
  ]),
  edits("an id twice", ({ patterns }) => {
    if (patterns[0]) patterns.push({ ...patterns[0] });
  }),
  ...["saved_at", "pattern_count", "version"].flatMap((key) => [setMetadata(key, undefined), setMetadata(key, null)]),
  setMetadata("saved_at", "now"),
  setMetadata("saved_at", 1_764_000_000),
  setMetadata("pattern_count", -1),
  setMetadata("pattern_count", "1"),
  setMetadata("version", "1.1"),
  setMetadata("version", "2.0"),
  setMetadata("version", 1),
  edits("contributions as text", (library) => (library.agent_contributions = { "agent-1": "p1" })),
  edits("contributions of numbers", (library) => (library.agent_contributions = { "agent-1": [5] })),
];
