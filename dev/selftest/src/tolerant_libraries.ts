import { readFileSync, writeFileSync } from "node:fs";
import { productViolations } from "../../../packages/conformance/src/judge_file/product_schemas.ts";
import { isObject, isTaggedNumber } from "../../../packages/conformance/src/values/json_value.ts";
import type { JsonObject, JsonValue } from "../../../packages/conformance/src/values/json_value.ts";
import { gives, readIfThere } from "./mutants/json_mutations.ts";
import { isDatabase, openUnsynced } from "./mutants/mutations.ts";
import type { Call, Mutation } from "./mutants/mutations.ts";
import { rowsOf } from "./mutants/sqlite_mutations.ts";
import { readsFileAs } from "./tolerant_files.ts";
import type { Tolerance } from "./tolerance.ts";

const parsed = (text: string | undefined): JsonValue => {
  try {
    return JSON.parse(text ?? "") as JsonValue;
  } catch {
    return null;
  }
};

const patternsOf = (document: JsonValue | undefined): JsonValue[] =>
  isObject(document) && Array.isArray(document.patterns) ? document.patterns : [];

/** Patterns that can be loaded, the first of each id. */
function loadable(patterns: readonly JsonValue[]): JsonValue[] {
  const ids = new Set<unknown>();
  return patterns.filter(
    (pattern) =>
      isObject(pattern) &&
      productViolations("pattern", pattern).length === 0 &&
      !ids.has(pattern.id) &&
      ids.add(pattern.id),
  );
}

/** A JSON text with the patterns that can be loaded only; unchanged if these are all, or if it is not JSON. */
function withLoadable(text: string): string {
  const document = parsed(Buffer.from(text, "latin1").toString());
  const patterns = loadable(patternsOf(document));
  if (document === null || (isObject(document) && patternsOf(document).length === patterns.length)) return text;
  return Buffer.from(JSON.stringify({ ...(document as JsonObject), patterns })).toString("latin1");
}

/** Remembers something about each library of a case, by its handle. */
function remembers<Note>(): { starts: (request: Call, note: Note) => void; of: (request: Call) => Note | undefined } {
  const notes = new Map<string, Note>();
  return {
    starts: ({ keep }, note) => keep !== undefined && notes.set(keep, note),
    of: ({ handle = "" }) => notes.get(handle),
  };
}

const REQUIRED: ReadonlySet<string> = new Set(["id", "agent_id", "pattern_type", "name"]);

/**
 * Loads and saves optional fields as they were in the JSON file that a library was loaded from.
 * @param change the value of such a field, from that of the file and that of the line; undefined to leave it out.
 */
function keepsOptional(change: (given: JsonValue | undefined, own: JsonValue) => JsonValue | undefined): Mutation {
  const sources = remembers<JsonValue[]>();
  const restore = (library: { patterns: JsonObject[] }, given: readonly JsonValue[]): void => {
    const byId = new Map(given.map((pattern) => [(pattern as JsonObject).id, pattern as JsonObject]));
    library.patterns = library.patterns.map((pattern) => {
      const source = byId.get(pattern.id);
      const entries = Object.entries(pattern).map(([field, own]) => [
        field,
        source !== undefined && !REQUIRED.has(field) ? change(source[field], own) : own,
      ]);
      return Object.fromEntries(entries.filter(([, field]) => field !== undefined)) as JsonObject;
    });
  };
  return {
    ops: ["PatternLibrary", "load_from_json", "load_from_sqlite", "save_to_json"],
    answer(request, answer) {
      if (answer.type !== "ok") return answer;
      const file = String(request.args.filepath);
      const given = request.op === "load_from_json" ? patternsOf(parsed(readIfThere(file))) : [];
      sources.starts(request, given);
      if (request.op === "load_from_json")
        return gives("load_from_json", (library) => restore(library, given)).answer?.(request, answer) ?? answer;
      const source = request.op === "save_to_json" ? sources.of(request) : undefined;
      if (source === undefined || source.length === 0) return answer;
      const text = readFileSync(file, "utf8");
      const document = JSON.parse(text) as { patterns: JsonObject[] };
      restore(document, source);
      // A file with a number that a double would change stays unchanged.
      if (!/\d{16}|[eE]\+?\d{3}/.test(text)) writeFileSync(file, JSON.stringify(document, null, 2));
      return answer;
    },
  };
}

/** Keeps the contributions of a library in a table of its own, next to its patterns. */
function storesContributions(): Mutation {
  const contributions = remembers<JsonValue>();
  const stored = (path: string): JsonValue | undefined => {
    if (!isDatabase(path) || rowsOf(path, "SELECT 1 FROM sqlite_schema WHERE name = 'contributions'").length === 0)
      return undefined;
    return parsed(String(rowsOf(path, "SELECT as_json FROM contributions")[0]?.as_json));
  };
  return {
    ops: ["PatternLibrary", "load_from_json", "load_from_sqlite", "save_to_sqlite"],
    answer(request, answer) {
      if (answer.type !== "ok") return answer;
      const path = String(request.args.db_path);
      if (request.op === "PatternLibrary") contributions.starts(request, request.args.agent_contributions ?? null);
      if (request.op === "save_to_sqlite") {
        const given = contributions.of(request) ?? null;
        const database = openUnsynced(path);
        database.exec("DROP TABLE IF EXISTS contributions");
        if (given !== null) {
          database.exec("CREATE TABLE contributions (as_json TEXT)");
          database.prepare("INSERT INTO contributions VALUES (?)").run(JSON.stringify(given));
        }
        database.close();
      }
      if (!request.op.startsWith("load_from_") || !("value" in answer)) return answer;
      const own = (answer.value as JsonObject).agent_contributions ?? null;
      const known = (request.op === "load_from_sqlite" ? stored(path) : undefined) ?? own;
      contributions.starts(request, known);
      return { ...answer, value: { ...(answer.value as JsonObject), agent_contributions: known } };
    },
  };
}

/**
 * Changes a database after a save into it.
 * @param sql for each use that the library has recorded; it can name its `@pattern`, `@agent` and `@success`.
 * @param isLate true for uses that an earlier save has written only.
 */
function savesUses(sql: string, isLate: boolean): Mutation {
  const recorded = remembers<{ uses: JsonObject[]; written: number }>();
  return {
    ops: ["PatternLibrary", "load_from_json", "load_from_sqlite", "record_usage", "save_to_sqlite"],
    answer(request, answer) {
      const { args, op } = request;
      recorded.starts(request, { uses: [], written: 0 });
      const known = recorded.of(request);
      if (known === undefined || answer.type !== "ok") return answer;
      if (op === "record_usage")
        known.uses.push({
          pattern: args.pattern_id ?? null,
          agent: args.agent_id ?? null,
          success: Number(args.success),
        });
      if (op !== "save_to_sqlite" || known.uses.length === 0) return answer;
      const database = openUnsynced(String(args.db_path));
      const statement = database.prepare(sql);
      for (const use of isLate ? known.uses.slice(0, known.written) : known.uses) statement.run(use);
      database.close();
      known.written = known.uses.length;
      return answer;
    },
  };
}

/** Numbers that stand for NaN and infinity inside the line, which reads none of these. */
const PLACEHOLDERS = { NaN: "7.1234e299", Infinity: "8.1234e299", "-Infinity": "-8.1234e299" } as const;

/**
 * Reads NaN and infinity of JSON files.
 * @param value what a loaded library has for such a word, and saves again.
 */
function readsNonFinite(value: (word: string) => JsonValue): Mutation {
  const written = (word: string): string => (isTaggedNumber(value(word)) ? word : JSON.stringify(value(word)));
  const reads = readsFileAs((text) =>
    text.replaceAll(
      /([:[,]\s*)(NaN|-?Infinity)(?=\s*[,\]}])/g,
      (_all, before: string, word: keyof typeof PLACEHOLDERS) => `${before}${PLACEHOLDERS[word]}`,
    ),
  );
  const words = new Map(Object.entries(PLACEHOLDERS).map(([word, number]) => [Number(number), word]));
  const named = (given: JsonValue): JsonValue => {
    if (typeof given === "number" && words.has(given)) return value(words.get(given) as string);
    if (Array.isArray(given)) return given.map(named);
    if (!isObject(given)) return given;
    return Object.fromEntries(Object.entries(given).map(([key, member]) => [key, named(member)]));
  };
  return {
    ops: ["load_from_json", "save_to_json"],
    before: (request) => reads.before?.(request, "") ?? request,
    answer(request, answer) {
      if (request.op === "save_to_json" && answer.type === "ok") {
        const file = String(request.args.filepath);
        const text = readFileSync(file, "utf8");
        const changed = [...words].reduce((all, [number, word]) => all.replaceAll(String(number), written(word)), text);
        if (changed !== text) writeFileSync(file, changed);
      }
      return request.op === "load_from_json" && "value" in answer
        ? { ...answer, value: named(answer.value as JsonValue) }
        : answer;
    },
  };
}

/** Habits of libraries that answer open questions. */
export const TOLERANT_LIBRARIES: readonly Tolerance[] = [
  {
    name: "loads the patterns of a file that it can read",
    choices: { "U-json-shape": "accepts", "U-read-what-can-be-read": "shorter" },
    mutation: readsFileAs(withLoadable),
  },
  {
    name: "keeps fields that are absent apart from those that are null",
    choices: { "U-optional": "kept-apart" },
    // An absent field with a default has the default, as section 2.1 states.
    mutation: keepsOptional((given, own) => (given === null || (given === undefined && own === null) ? given : own)),
  },
  {
    name: "keeps null where a field has a default",
    choices: { "U-optional": "null-stays" },
    mutation: keepsOptional((given, own) => (given === null ? null : own)),
  },
  {
    name: "stores contributions in a table of its own",
    choices: { "U-contributions": "stored" },
    mutation: storesContributions(),
  },
  {
    name: "writes the rows of all uses at each save",
    choices: { "U-usage-table": "on-every-save" },
    mutation: savesUses(
      "INSERT INTO pattern_usage (pattern_id, agent_id, success) SELECT id, @agent, @success FROM patterns WHERE id = @pattern",
      true,
    ),
  },
  {
    name: "makes the rate of successful uses the confidence",
    choices: { "U-usage-confidence": "changed" },
    mutation: savesUses(
      "UPDATE patterns SET confidence = 1.0 * success_count / usage_count WHERE id = @pattern AND usage_count > 0",
      false,
    ),
  },
  {
    name: "reads NaN and infinity as numbers",
    choices: { "U-nonfinite": "numbers" },
    mutation: readsNonFinite((word) => ({ $number: word })),
  },
  {
    name: "reads NaN and infinity as null",
    choices: { "U-nonfinite": "null" },
    mutation: readsNonFinite(() => null),
  },
  {
    name: "reads NaN and infinity as text",
    choices: { "U-nonfinite": "text" },
    mutation: readsNonFinite((word) => word),
  },
];
