import { copyFileSync, linkSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { openDatabase } from "@perdura/internals/sqlite/open_database.js";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { LINES } from "./both_lines.ts";
import { freshFolder } from "../fresh_folder.ts";

/** A stored pattern, with the field and the reason of its report; without them for a valid one. */
interface Stored {
  values: Record<string, unknown>;
  reported?: [field: string | undefined, reason: RegExp];
}

const valid = (id: string): Stored => ({ values: { id, agent_id: "a", pattern_type: "t", name: "n" } });
const invalid = (id: string, values: Record<string, unknown>, field: string | undefined, reason: RegExp): Stored => ({
  values: { ...valid(id).values, ...values },
  reported: [field, reason],
});

const COMMON = [
  invalid(
    "zone",
    { discovered_at: "2025-01-01T00:00:00Z" },
    "discovered_at",
    /^expected a zone-less ISO 8601 timestamp .*00Z/,
  ),
  invalid("day", { last_used: "2025-02-30T00:00:00" }, "last_used", /of the calendar/),
  invalid("agent", { agent_id: "" }, "agent_id", /empty/),
  invalid("confidence", { confidence: "high" }, "confidence", /^expected finite number|^expected number/),
];
const IN_DOCUMENTS = [
  ...COMMON,
  invalid("tags", { tags: [1] }, "tags", /^expected string, got 1$/),
  { values: { agent_id: "a" }, reported: ["id", /the required field "id" is missing/] } satisfies Stored,
];
const IN_DATABASES = [
  ...COMMON,
  invalid("tags", { tags: "[1]" }, "tags", /^expected string, got 1$/),
  invalid("context", { context: "[]" }, "context", /^expected object or null, got an array of 0$/),
  invalid("cut", { context: '{"a": ' }, "context", /^1:7: not valid JSON: .*: "\{\\"a\\": "$/),
  invalid("nan", { context: '{"a": NaN}' }, "context", /the token NaN, which is not JSON/),
  invalid("bytes", { name: Buffer.from("n") }, "name", /^expected string, got /),
];

function documentOf(file: string, stored: readonly Stored[]): void {
  writeFileSync(file, JSON.stringify({ patterns: stored.map(({ values }) => values) }));
}

describe.for(LINES)("invalid patterns in libraries of $name", ({ line }) => {
  const { PatternPersistence, PatternLibrary } = line;

  function databaseOf(file: string, stored: readonly Stored[]): void {
    PatternPersistence.saveToSqlite(new PatternLibrary(), file);
    const database = openDatabase(file, { intent: "change" });
    for (const { values } of stored) {
      const names = Object.keys(values);
      database
        .prepare(`INSERT INTO patterns (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`)
        .run(...Object.values(values));
    }
    database.close();
  }

  const FORMATS = [
    {
      name: "document",
      odds: IN_DOCUMENTS,
      write: documentOf,
      load: PatternPersistence.loadFromJson,
      place: (index: number) => new RegExp(`^/patterns/${index}(/|$)`),
    },
    {
      name: "database",
      odds: IN_DATABASES,
      write: databaseOf,
      load: PatternPersistence.loadFromSqlite,
      place: (index: number) => new RegExp(`^row ${index + 1}$`),
    },
  ];

  test.each(FORMATS)("are reported with place and reason, and the valid ones are loaded: $name", (format) => {
    fc.assert(
      fc.property(fc.shuffledSubarray([...format.odds, ...["p1", "p2", "p3"].map(valid)]), (stored) => {
        const path = join(freshFolder(), "library");
        format.write(path, stored);
        const before = readFileSync(path);
        const onInvalid = vi.fn();
        const library = format.load(path, { onInvalid });
        expect([...library.patterns.keys()]).toEqual(
          stored.filter(({ reported }) => !reported).map(({ values }) => values["id"]),
        );
        const wanted = stored.flatMap(({ values, reported }, index) =>
          reported === undefined
            ? []
            : {
                path,
                id: values["id"],
                place: expect.stringMatching(format.place(index)),
                field: reported[0],
                reason: expect.stringMatching(reported[1]),
              },
        );
        expect(onInvalid.mock.calls.map(([problem]) => problem)).toEqual(wanted);
        if (wanted.length > 0) expect(() => format.load(path)).toThrow(line.PerduraError);
        expect(readFileSync(path)).toEqual(before);
      }),
      { numRuns: 40 },
    );
  });

  test("are reported in a document with tokens that are not JSON, also when it is read in chunks", () => {
    const path = join(freshFolder(), "library.json");
    const items = Array.from(
      { length: 3000 },
      (_, index) =>
        `{"id": "p${index}", "agent_id": "a", "pattern_type": "t", "name": "n", "context": {"n": ${index % 9 ? index : "-Infinity"}}}`,
    );
    writeFileSync(path, `{"patterns": [${items.join(", ")}]}`);
    const places: string[] = [];
    const library = PatternPersistence.loadFromJson(path, {
      onInvalid: ({ place, id, reason }) => {
        expect(reason).toContain("the token -Infinity, which is not JSON");
        expect(place).toBe(`/patterns/${id?.slice(1)}/context/n`);
        places.push(place);
      },
    });
    expect(library.size + places.length).toBe(items.length);
    expect(places).toHaveLength(items.filter((item) => item.includes("Infinity")).length);
    const onInvalid = vi.fn();
    expect(PatternPersistence.loadFromJson(path, { onInvalid, nonFinite: "null" }).size).toBe(items.length);
    expect(onInvalid).not.toHaveBeenCalled();
  });

  test("include the second pattern with an id: the first is loaded", () => {
    const path = join(freshFolder(), "library.json");
    documentOf(path, [valid("p"), invalid("p", { name: "other" }, "id", /earlier/), valid("q")]);
    const onInvalid = vi.fn();
    const library = PatternPersistence.loadFromJson(path, { onInvalid });
    expect([...library.patterns.values()].map(({ id, name }) => [id, name])).toEqual([
      ["p", "n"],
      ["q", "n"],
    ]);
    expect(onInvalid.mock.calls).toEqual([
      [
        expect.objectContaining({
          place: "/patterns/1/id",
          id: "p",
          field: "id",
          reason: expect.stringContaining("earlier"),
        }),
      ],
    ]);
  });

  test("do not include faults of the whole source, which are still errors", () => {
    const path = join(freshFolder(), "library.json");
    const onInvalid = vi.fn();
    for (const [text, name] of [
      ['{"patterns": [{"id": "p"}, {]}', "JSONDecodeError"],
      ['{"patterns": [{"id": nan}]}', "JSONDecodeError"],
      ['{"patterns": {}}', "ValidationError"],
      ['{"patterns": [], "metadata": {"version": "2.0"}}', "UnsupportedFormatError"],
      ['{"patterns": [], "agent_contributions": {"": []}}', "ValidationError"],
    ] as const) {
      writeFileSync(path, text);
      expect(() => PatternPersistence.loadFromJson(path, { onInvalid })).toThrow(expect.objectContaining({ name }));
    }
    writeFileSync(path, "no database, but text that is long enough");
    expect(() => PatternPersistence.loadFromSqlite(path, { onInvalid })).toThrow(
      expect.objectContaining({ name: "CorruptDataError" }),
    );
    expect(onInvalid).not.toHaveBeenCalled();
  });

  test.each(FORMATS)("are not lost by a save over the source: $name", ({ write, load, name }) => {
    const directory = freshFolder();
    const path = join(directory, "library");
    write(path, [valid("p"), ...COMMON]);
    const [link, second] = [join(directory, "link"), join(directory, "second")];
    symlinkSync(path, link);
    linkSync(path, second);
    const before = readFileSync(path);
    const library = load(relative(process.cwd(), path), { onInvalid: () => undefined });
    const save =
      name === "document"
        ? (target: string, options = {}) => PatternPersistence.saveToJson(library, target, options)
        : (target: string, options = {}) =>
            PatternPersistence.saveToSqlite(library, target, { mode: "replace", ...options });
    // SQLite itself refuses a file with a second name.
    for (const target of name === "document" ? [path, link, second] : [path, link])
      expect(() => save(target)).toThrow(
        expect.objectContaining({ name: "ValidationError", message: expect.stringContaining("{ dropInvalid: true }") }),
      );
    expect(readFileSync(path)).toEqual(before);
    renameSync(second, join(directory, "elsewhere"));
    copyFileSync(path, second);
    save(second);
    expect(load(second).size).toBe(1);
    expect(readFileSync(path)).toEqual(before);
    copyFileSync(second, join(directory, "copy"));
    expect(() => save(path, { dropInvalid: "yes" })).toThrow("options.dropInvalid: expected a boolean");
  });

  test("are kept by a merge into the source, and removed only with dropInvalid", () => {
    const path = join(freshFolder(), "library.db");
    databaseOf(path, [valid("p"), ...COMMON]);
    const library = PatternPersistence.loadFromSqlite(path, { onInvalid: () => undefined });
    library.contribute("a", { id: "new", pattern_type: "t", name: "n" });
    expect(PatternPersistence.saveToSqlite(library, path, {})).toMatchObject({ patterns: 2, removedPatterns: 0 });
    const onInvalid = vi.fn();
    expect(PatternPersistence.loadFromSqlite(path, { onInvalid }).size).toBe(2);
    expect(onInvalid).toHaveBeenCalledTimes(COMMON.length);
    expect(PatternPersistence.saveToSqlite(library, path, { mode: "replace", dropInvalid: true })).toMatchObject({
      patterns: 2,
      removedPatterns: COMMON.length,
    });
    expect(PatternPersistence.loadFromSqlite(path).size).toBe(2);
  });

  test("do not prevent saving over a source that has none", () => {
    const path = join(freshFolder(), "library.json");
    documentOf(path, [valid("p")]);
    const library = PatternPersistence.loadFromJson(path, { onInvalid: () => expect.unreachable() });
    PatternPersistence.saveToJson(library, path);
    expect(PatternPersistence.loadFromJson(path).size).toBe(1);
  });

  test("are reported by a store after it has closed the database", () => {
    const directory = freshFolder();
    const path = join(directory, "patterns.db");
    databaseOf(path, [valid("p"), invalid("zone", { last_used: "2025-01-01" }, "last_used", /./)]);
    using persistence = line.openPersistence({ persistence_path: directory });
    const reported: (string | undefined)[] = [];
    const library = persistence.patterns.load({
      onInvalid: ({ id }) => {
        reported.push(id);
        const writer = openDatabase(path, { intent: "change" });
        writer.exec("UPDATE patterns SET name = 'reported' WHERE id = 'zone'");
        writer.close();
      },
    });
    expect([reported, library.size]).toEqual([["zone"], 1]);
    expect(() => persistence.patterns.save(library, { mode: "replace" })).toThrow("{ dropInvalid: true }");
    expect(() => persistence.patterns.load()).toThrow(expect.objectContaining({ name: "CorruptDataError" }));
  });

  test("end the load when onInvalid throws", () => {
    const path = join(freshFolder(), "library.json");
    documentOf(path, [valid("p"), COMMON[0] as Stored]);
    const stop = new Error("enough");
    expect(() =>
      PatternPersistence.loadFromJson(path, {
        onInvalid: () => {
          throw stop;
        },
      }),
    ).toThrow(stop);
    expect(() => PatternPersistence.loadFromJson(path, { onInvalid: "log" as never })).toThrow(
      'options.onInvalid: expected a function, got "log".',
    );
  });
});
