import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import { PatternLibrary } from "@perdura/v16";
import { expect, test } from "vitest";
import { newSchema, otherProgram, patternsIn } from "./elements.ts";

describeWithPostgres("two programs that save one library", (postgres) => {
  const counts = `SELECT usage_count::int, success_count::int, failure_count::int, last_used FROM patterns WHERE id = 'p'`;

  test("count together, as the rows of pattern_usage do", async () => {
    const schema = newSchema();
    const patterns = patternsIn(postgres.url, { schema });
    const library = new PatternLibrary();
    library.contribute("a", { id: "p", pattern_type: "s", name: "n" });
    library.recordUsage("p", "A", true);
    await patterns.save(library);
    const [one, other, idle] = await Promise.all([patterns.load(), patterns.load(), patterns.load()]);
    one.recordUsage("p", "A", true);
    other.recordUsage("p", "B", false);
    await patterns.save(one);
    await patterns.save(other);
    const program = otherProgram(postgres.url, schema);
    const ask = async (sql: string): Promise<unknown[]> => (await program.query(sql)).rows;
    const [before] = await ask(counts);
    expect(before).toMatchObject({ usage_count: 3, success_count: 2, failure_count: 1 });
    await patterns.save(idle);
    expect(await ask(counts)).toEqual([before]);
    library.recordUsage("p", "A", true);
    await patterns.save(library);
    expect(await ask(counts)).toMatchObject([{ usage_count: 4, success_count: 3 }]);
    expect(await ask("SELECT count(*)::int AS rows FROM pattern_usage")).toEqual([{ rows: 4 }]);
  });

  test("saves of one library that begin at once add each use once", async () => {
    const schema = newSchema();
    const patterns = patternsIn(postgres.url, { schema });
    const library = new PatternLibrary();
    library.contribute("a", { id: "p", pattern_type: "s", name: "n" });
    const saves: Promise<unknown>[] = [];
    for (let times = 0; times < 5; times += 1) {
      library.recordUsage("p", "A", true);
      saves.push(patterns.save(library));
    }
    await Promise.all(saves);
    expect((await patterns.load()).get("p")).toMatchObject({ usage_count: 5, success_count: 5 });
  });

  test("a save that fails is not counted as stored", async () => {
    const schema = newSchema();
    const patterns = patternsIn(postgres.url, { schema });
    const library = new PatternLibrary();
    library.contribute("a", { id: "p", pattern_type: "s", name: "n" });
    await patterns.save(library);
    const program = otherProgram(postgres.url, schema);
    await program.query("ALTER TABLE pattern_usage ADD CONSTRAINT never CHECK (agent_id <> 'A')");
    library.recordUsage("p", "A", true);
    await expect(patterns.save(library)).rejects.toThrow();
    await program.query("ALTER TABLE pattern_usage DROP CONSTRAINT never");
    await patterns.save(library);
    expect((await patterns.load()).get("p")).toMatchObject({ usage_count: 1, success_count: 1 });
    expect((await program.query("SELECT count(*)::int AS rows FROM pattern_usage")).rows).toEqual([{ rows: 1 }]);
  });
});
