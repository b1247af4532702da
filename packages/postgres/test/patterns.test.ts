import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import { isPerduraError, PatternLibrary, PatternPersistence } from "@perdura/v16";
import fc from "fast-check";
import { expect, test } from "vitest";
import { freshFolder } from "../../../test/fresh_folder.ts";
import { contentOf, libraryOf, patterns as anyPatterns, rawNumber } from "../../../test/random_library.ts";
import { newSchema, otherProgram, patternsIn, withoutNul } from "./elements.ts";
import { runs } from "./runs.ts";

const storable = anyPatterns.map((patterns) => patterns.map(withoutNul));

const simple = (id: string): { id: string; pattern_type: string; name: string } => ({
  id,
  pattern_type: "sequential",
  name: "n",
});

describeWithPostgres("patterns", (postgres) => {
  test("a load before the first save fails and creates nothing", async () => {
    const schema = newSchema();
    const patterns = patternsIn(postgres.url, { schema });
    const error = await patterns.load().catch((reason: unknown) => reason);
    expect(isPerduraError(error, "PERDURA_FILE_NOT_FOUND")).toBe(true);
    const { rows } = await otherProgram(postgres.url, schema).query("SELECT 1 FROM pg_namespace WHERE nspname = $1", [
      schema,
    ]);
    expect(rows).toEqual([]);
  });

  test("saves and loads an empty library", async () => {
    const patterns = patternsIn(postgres.url);
    await patterns.save(new PatternLibrary());
    expect((await patterns.load()).size).toBe(0);
  });

  test("libraries are unchanged from SQLite to PostgreSQL and back", async () => {
    const directory = freshFolder();
    const patterns = patternsIn(postgres.url);
    let run = 0;
    await fc.assert(
      fc.asyncProperty(storable, async (contributed) => {
        run += 1;
        const library = libraryOf(PatternLibrary, contributed);
        const [before, after] = [`${directory}/${run}a.db`, `${directory}/${run}b.db`];
        PatternPersistence.saveToSqlite(library, before);
        await patterns.save(PatternPersistence.loadFromSqlite(before), { mode: "replace" });
        PatternPersistence.saveToSqlite(await patterns.load(), after);
        expect(contentOf(PatternPersistence.loadFromSqlite(after))).toBe(contentOf(library));
      }),
      { numRuns: runs(100) },
    );
  });

  test("reports invalid rows, and does not drop them by replace without dropInvalid", async () => {
    const schema = newSchema();
    const patterns = patternsIn(postgres.url, { schema });
    const library = new PatternLibrary();
    for (const id of ["a", "b"]) library.contribute("x", simple(id));
    await patterns.save(library);
    await otherProgram(postgres.url, schema).query("UPDATE patterns SET discovered_at = '2025-01-01' WHERE id = 'b'");
    await expect(patterns.load()).rejects.toThrow(expect.objectContaining({ name: "CorruptDataError" }));
    const reported: unknown[] = [];
    const loaded = await patterns.load({ onInvalid: (problem) => reported.push(problem) });
    expect([...loaded.patterns.keys()]).toEqual(["a"]);
    expect(reported).toEqual([
      expect.objectContaining({
        place: "row 2",
        id: "b",
        field: "discovered_at",
        reason: expect.stringContaining('"2025-01-01"'),
      }),
    ]);
    await expect(patterns.save(loaded, { mode: "replace" })).rejects.toThrow("{ dropInvalid: true }");
    expect(await patterns.save(loaded)).toMatchObject({ removedPatterns: 0 });
    expect(await patternsIn(postgres.url).save(loaded, { mode: "replace" })).toMatchObject({ patterns: 1 });
    expect(await patterns.save(loaded, { mode: "replace", dropInvalid: true })).toMatchObject({ removedPatterns: 1 });
    await expect(patterns.load({ onInvalid: "log" as never })).rejects.toThrow(
      "options.onInvalid: expected a function",
    );
  });

  test("merge keeps other patterns, and replace makes the database equal to the library, including the order", async () => {
    const patterns = patternsIn(postgres.url);
    const [first, second] = [new PatternLibrary(), new PatternLibrary()];
    for (const id of ["a", "b", "c"]) first.contribute("x", simple(id));
    for (const id of ["d", "c", "a"]) second.contribute("x", { ...simple(id), name: "later" });
    await patterns.save(first);
    expect(await patterns.save(second)).toEqual({ patterns: 3, usageRows: 0, removedPatterns: 0, removedUsageRows: 0 });
    expect([...(await patterns.load()).patterns.keys()]).toEqual(["a", "b", "c", "d"]);
    expect(await patterns.save(second, { mode: "replace" })).toMatchObject({ removedPatterns: 1 });
    expect([...(await patterns.load()).patterns.values()].map(({ id, name }) => id + name)).toEqual(
      ["d", "c", "a"].map((id) => `${id}later`),
    );
    // Later patterns are appended.
    first.contribute("x", simple("z"));
    await patterns.save(first);
    expect([...(await patterns.load()).patterns.keys()]).toEqual(["d", "c", "a", "b", "z"]);
  });

  test("add only adds patterns, and uses to those that others have changed meanwhile", async () => {
    const patterns = patternsIn(postgres.url);
    const first = new PatternLibrary();
    first.contribute("a", { ...simple("p1"), name: "before" });
    expect(await patterns.save(first, { mode: "add" })).toMatchObject({ patterns: 1 });
    const [mine, other] = [await patterns.load(), await patterns.load()];
    other.contribute("a", { ...simple("p1"), name: "after", tags: ["x"] });
    other.recordUsage("p1", "b", false);
    await patterns.save(other);
    mine.recordUsage("p1", "a", true);
    mine.contribute("a", { ...simple("p2"), usage_count: 9, success_count: 9 });
    expect(await patterns.save(mine, { mode: "add" })).toMatchObject({ patterns: 1, usageRows: 1 });
    const given = new PatternLibrary();
    for (const id of ["p1", "p2"]) given.contribute("b", { ...simple(id), usage_count: 5, success_count: 5 });
    expect(await patterns.save(given, { mode: "add" })).toMatchObject({ patterns: 0 });
    const stored = await patterns.load();
    expect(stored.get("p1")).toMatchObject({ name: "after", tags: ["x"], usage_count: 2, success_count: 1 });
    expect(stored.get("p2")).toMatchObject({ agent_id: "a", usage_count: 9 });
  });

  test("add does not acknowledge a pattern that a trigger leaves out", async () => {
    const schema = newSchema();
    const patterns = patternsIn(postgres.url, { schema });
    const library = new PatternLibrary();
    library.contribute("a", simple("p1"));
    await patterns.save(library);
    await otherProgram(postgres.url, schema).query(
      `CREATE FUNCTION leave_out() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN IF NEW.id = 'p2' THEN RETURN NULL; END IF; RETURN NEW; END$$;
       CREATE TRIGGER no BEFORE INSERT ON patterns FOR EACH ROW EXECUTE FUNCTION leave_out()`,
    );
    library.contribute("a", { ...simple("p1"), name: "changed" });
    await patterns.save(library, { mode: "add" });
    library.contribute("a", simple("p2"));
    await expect(patterns.save(library, { mode: "add" })).rejects.toThrow("patterns");
    expect((await patterns.load()).size).toBe(1);
  });

  test("writes uses once, also in concurrent saves, and removes uses of removed patterns in a replace", async () => {
    const schema = newSchema();
    const patterns = patternsIn(postgres.url, { schema });
    const library = new PatternLibrary();
    for (const id of ["p", "q"]) library.contribute("x", simple(id));
    for (const id of ["p", "q", "p"]) library.recordUsage(id, "y", true);
    const results = await Promise.all([patterns.save(library), patterns.save(library)]);
    expect(results.map(({ usageRows }) => usageRows).toSorted()).toEqual([0, 3]);
    expect(library.pendingUsage).toEqual([]);
    const count = async (): Promise<unknown> =>
      (await otherProgram(postgres.url, schema).query("SELECT count(*)::int FROM pattern_usage")).rows[0];
    expect(await count()).toEqual({ count: 3 });
    const fewer = new PatternLibrary();
    fewer.contribute("x", simple("q"));
    expect(await patterns.save(fewer, { mode: "replace" })).toMatchObject({ removedPatterns: 1, removedUsageRows: 2 });
    expect(await count()).toEqual({ count: 1 });
  });

  test("keeps uses queued that could not be written, before later ones", async () => {
    const patterns = patternsIn(postgres.url, { createSchema: false });
    const library = new PatternLibrary();
    library.contribute("x", simple("p"));
    library.recordUsage("p", "first", true);
    const saving = patterns.save(library);
    library.recordUsage("p", "second", true);
    await expect(saving).rejects.toThrow(/does not exist, and createSchema is false/);
    expect(library.pendingUsage.map(({ agent_id }) => agent_id)).toEqual(["first", "second"]);
  });

  test("unchanged rows keep their updated_at", async () => {
    const schema = newSchema();
    const patterns = patternsIn(postgres.url, { schema });
    const other = otherProgram(postgres.url, schema);
    const library = new PatternLibrary();
    for (const id of ["same", "changed"])
      library.contribute("x", { ...simple(id), context: { a: rawNumber("1e400") } });
    await patterns.save(library);
    await other.query("UPDATE patterns SET updated_at = 'then'");
    library.contribute("x", { ...simple("changed"), name: "new" });
    await patterns.save(library);
    const { rows } = await other.query("SELECT id FROM patterns WHERE updated_at = 'then'");
    expect(rows).toEqual([{ id: "same" }]);
  });

  test.each([
    ["a NUL character", { name: "a\0b" }, "/name"],
    ["a NUL character", { code: "\0" }, "/code"],
    ["a lone surrogate", { description: "\ud800" }, "/description"],
  ])("refuses %s before it connects", async (fault, fields, pointer) => {
    const library = new PatternLibrary();
    library.contribute("x", { ...simple("p"), ...fields });
    const error = await patternsIn("postgres://nowhere.invalid/x")
      .save(library)
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "PERDURA_VALIDATION", pointer });
    expect((error as Error).message).toContain(`contains ${fault}, which PostgreSQL cannot store`);
  });

  test("names an invalid row", async () => {
    const schema = newSchema();
    const patterns = patternsIn(postgres.url, { schema });
    await patterns.save(new PatternLibrary());
    await otherProgram(postgres.url, schema).query(
      "INSERT INTO patterns (id, agent_id, pattern_type, name, tags) VALUES ('p', 'x', 't', 'n', '{}')",
    );
    await expect(patterns.load()).rejects.toThrow(/table "patterns", row 1: tags: expected array or null/);
  });

  test("loads a library of many patterns in its order", async () => {
    const patterns = patternsIn(postgres.url);
    const library = new PatternLibrary();
    for (let index = 0; index < 4500; index += 1)
      library.contribute(`a${index % 7}`, simple(`p${(index * 7919) % 4500}`));
    await patterns.save(library);
    expect(contentOf(await patterns.load())).toBe(contentOf(library));
  });
});
