import fc from "fast-check";
import type { Step } from "../corpus/case.ts";
import type { JsonObject, JsonValue } from "../values/json_value.ts";
import { ANY_TEXT, COUNT, FRACTION, JSON_OBJECT, TEXT, TIMESTAMP, closing } from "./generated_values.ts";
import type { Judged, SequenceKind } from "./sequence_kind.ts";

export type Format = "json" | "sqlite";

type Operation =
  | { do: "make"; patterns: readonly JsonObject[] }
  | { do: "make-many"; pattern: JsonObject; times: number }
  | { do: "save"; library: number; format: Format }
  | { do: "load"; file: number }
  | { do: "settle" | "kill" };

/** Libraries that are made, saved to new files, loaded, and saved again. */
export interface LibrarySequence {
  operations: readonly Operation[];
}

/** A pattern of section 2.1: every optional field is there or not. */
const PATTERN: fc.Arbitrary<JsonObject> = fc.record(
  {
    id: TEXT,
    agent_id: TEXT,
    pattern_type: TEXT,
    name: TEXT,
    description: ANY_TEXT,
    context: JSON_OBJECT,
    code: ANY_TEXT,
    confidence: FRACTION,
    usage_count: COUNT,
    success_count: COUNT,
    failure_count: COUNT,
    tags: fc.array(ANY_TEXT, { maxLength: 4 }),
    discovered_at: TIMESTAMP,
    last_used: TIMESTAMP,
  },
  { requiredKeys: ["id", "agent_id", "pattern_type", "name"], noNullPrototype: true },
);

const operation = (formats: readonly Format[], { inServer }: Judged): fc.Arbitrary<Operation> =>
  fc.oneof(
    {
      arbitrary: fc.record({
        do: fc.constant("make" as const),
        patterns: fc.uniqueArray(PATTERN, { maxLength: 5, selector: ({ id }) => id }),
      }),
      weight: 3,
    },
    {
      arbitrary: fc.record({
        do: fc.constant("make-many" as const),
        pattern: PATTERN,
        times: fc.integer({ min: 2, max: 300 }),
      }),
      weight: 1,
    },
    {
      arbitrary: fc.record({
        do: fc.constant("save" as const),
        library: fc.nat({ max: 9 }),
        format: fc.constantFrom(...formats),
      }),
      weight: 5,
    },
    { arbitrary: fc.record({ do: fc.constant("load" as const), file: fc.nat({ max: 9 }) }), weight: 5 },
    { arbitrary: closing("settle", inServer), weight: 2 },
  );

/** Sections 2.1, 2.4 and 4.1: what was saved is loaded, in each format and from one to the other. */
export function librarySequences(formats: readonly Format[]): SequenceKind<LibrarySequence> {
  return {
    sequences: (judged) =>
      fc.record({
        operations: fc.array(operation(formats, judged), { minLength: 1, maxLength: 20, size: "max" }),
      }),
    steps: (sequence) => new LibraryModel().steps(sequence),
  };
}

/** The patterns of a library: an array, or a description of many, as cases have them. */
interface Content {
  count: number;
  /** The arguments of `PatternLibrary`. */
  patterns: JsonValue;
  /** Patterns as they must be loaded, without the key that only SQLite has. */
  loaded: JsonValue;
  /** Undefined for a library from SQLite, which has no place for them. */
  contributions: JsonObject | undefined;
}

interface SavedFile extends Content {
  name: string;
  format: Format;
}

/** The patterns of every open library and of every file, and the steps with the answers that follow from them. */
class LibraryModel {
  readonly #steps: Step[] = [];
  readonly #files: SavedFile[] = [];
  /** The open libraries by the name of their handle. */
  #libraries: [handle: string, content: Content][] = [];
  #made = 0;

  steps({ operations }: LibrarySequence): Step[] {
    for (const one of operations) this.#add(one);
    // Every file once more at the end, by an implementation that has forgotten everything.
    if (this.#files.length > 0) this.#steps.push({ settle: true });
    this.#libraries = [];
    for (const file of this.#files) this.#load(file);
    for (const file of this.#files) if (file.format === "json") this.#steps.push(this.#inspection(file));
    return this.#steps;
  }

  #add(one: Operation): void {
    switch (one.do) {
      case "make":
        return this.#make(listedPatterns(one.patterns));
      case "make-many":
        return this.#make(numberedPatterns(one.pattern, one.times));
      case "save": {
        const library = this.#libraries[one.library % Math.max(1, this.#libraries.length)];
        if (library !== undefined) this.#save(...library, one.format);
        return;
      }
      case "load": {
        const file = this.#files[one.file % Math.max(1, this.#files.length)];
        if (file !== undefined) this.#load(file);
        return;
      }
      case "settle":
        this.#steps.push({ settle: true });
        this.#libraries = [];
        return;
      case "kill":
        if (!("call" in (this.#steps.at(-1) ?? {}))) return;
        this.#steps.push({ kill: true });
        this.#libraries = [];
    }
  }

  #make(content: Content): void {
    this.#steps.push({
      call: "PatternLibrary",
      args: { patterns: content.patterns },
      keep: this.#keep(content),
    });
  }

  /** The handle of a new library. */
  #keep(content: Content): string {
    this.#made += 1;
    const handle = `library-${this.#made}`;
    this.#libraries.push([handle, content]);
    return handle;
  }

  /** Saves to a new file: what becomes of one that exists is not specified. */
  #save(handle: string, content: Content, format: Format): void {
    const name = `${this.#files.length + 1}.${format === "json" ? "json" : "db"}`;
    const call = format === "json" ? "save_to_json" : "save_to_sqlite";
    const args = { [format === "json" ? "filepath" : "db_path"]: { $path: name } };
    this.#steps.push({ call, handle, args });
    this.#files.push({ ...content, name, format });
  }

  #load({ name, format, ...content }: SavedFile): void {
    const call = format === "json" ? "load_from_json" : "load_from_sqlite";
    const args = { [format === "json" ? "filepath" : "db_path"]: { $path: name } };
    const is = { $set: withUpdatedAt(content.loaded, format) };
    const contributions = format === "json" ? content.contributions : undefined;
    this.#steps.push({
      call,
      args,
      keep: this.#keep({ ...content, contributions }),
      expect: { checks: [{ id: `${this.#steps.length + 1}.patterns`, at: "/patterns", is }] },
    });
  }

  /** Section 2.4: the file has its three keys, and says how many patterns it has, and whose they are. */
  #inspection({ name, count, contributions }: SavedFile): Step {
    const place = this.#steps.length + 1;
    return {
      inspect: "json",
      file: name,
      checks: [
        { id: `${place}.pattern-count`, at: "/metadata/pattern_count", is: count },
        { id: `${place}.version`, at: "/metadata/version", is: "1.0" },
        ...(contributions === undefined
          ? []
          : [{ id: `${place}.agent-contributions`, at: "/agent_contributions", is: contributions }]),
      ],
    };
  }
}

function listedPatterns(patterns: readonly JsonObject[]): Content {
  const byAgent = Map.groupBy(patterns, ({ agent_id }) => agent_id as string);
  return {
    count: patterns.length,
    patterns: [...patterns],
    loaded: patterns.map(asLoaded),
    contributions: Object.fromEntries(
      [...byAgent].map(([agent, own]) => [agent, { $set: own.map(({ id }) => id as string) }]),
    ),
  };
}

/** Many patterns that differ in the number in their ids. */
function numberedPatterns(pattern: JsonObject, times: number): Content {
  const repeated = (item: JsonValue): JsonObject => ({ $repeat: { item, times } });
  const id = `${pattern.id as string} {n}`;
  return {
    count: times,
    patterns: repeated({ ...pattern, id }),
    loaded: repeated(asLoaded({ ...pattern, id })),
    contributions: { [pattern.agent_id as string]: { $set: repeated(id) } },
  };
}

/** A pattern as it must be loaded: section 2.1 states the defaults. */
function asLoaded(pattern: JsonObject): JsonObject {
  const none = { $absentOr: null };
  return {
    description: none,
    context: none,
    code: none,
    confidence: 0.5,
    usage_count: 0,
    success_count: 0,
    failure_count: 0,
    tags: none,
    discovered_at: none,
    last_used: none,
    ...pattern,
  };
}

/** Only SQLite has `updated_at`, and a loaded pattern may show it. */
function withUpdatedAt(loaded: JsonValue, format: Format): JsonValue {
  if (format === "json") return loaded;
  const added = { updated_at: { $absentOr: { $any: true } } };
  if (Array.isArray(loaded)) return loaded.map((pattern) => ({ ...(pattern as JsonObject), ...added }));
  const { item, times } = (loaded as { $repeat: { item: JsonObject; times: number } }).$repeat;
  return { $repeat: { item: { ...item, ...added }, times } };
}
