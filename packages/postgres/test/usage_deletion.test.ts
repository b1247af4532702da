import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import { PatternLibrary } from "@perdura/v16";
import { expect, test } from "vitest";
import { needs } from "../../../test/needs.ts";
import { newSchema, otherProgram, patternsIn } from "./elements.ts";
import { ON_CITUS } from "./layouts.ts";

const [ERASED, KEPT] = ["agent-7f3a@example.org", "kept-agent"];

const COUNTERS = "SELECT id, usage_count, success_count, failure_count FROM patterns ORDER BY id";
const OF_ROWS = `SELECT patterns.id, count(uses.id) AS usage_count, count(*) FILTER (WHERE success) AS success_count,
  count(*) FILTER (WHERE NOT success) AS failure_count
  FROM patterns LEFT JOIN pattern_usage AS uses ON pattern_id = patterns.id GROUP BY 1 ORDER BY 1`;

/** SQL for the file of the table; on a cluster, each server has a copy. */
const FILES = ON_CITUS
  ? "SELECT result AS file FROM run_command_on_placements('pattern_usage', 'SELECT pg_relation_filenode(%L::regclass)') ORDER BY nodeport"
  : "SELECT pg_relation_filenode('pattern_usage'::regclass) AS file";

describeWithPostgres("a deletion of uses", (postgres) => {
  async function layOut(): Promise<{
    patterns: ReturnType<typeof patternsIn>;
    plain: ReturnType<typeof otherProgram>;
  }> {
    const schema = newSchema();
    const patterns = patternsIn(postgres.url, { schema });
    const library = new PatternLibrary();
    for (const id of ["p1", "p2"]) library.contribute("owner", { id, pattern_type: "t", name: "n" });
    for (let use = 0; use < 12_000; use += 1)
      library.recordUsage(`p${1 + (use % 2)}`, use % 3 > 0 ? ERASED : KEPT, use % 5 > 0);
    await patterns.save(library);
    return { patterns, plain: otherProgram(postgres.url, schema) };
  }

  test("by an agent or of a pattern leaves counters that are those of the rows", async () => {
    const { patterns, plain } = await layOut();
    const seen: unknown[] = [];
    const onProgress = (progress: unknown): void => void seen.push(progress);
    expect(await patterns.deleteUsage({ agent_id: ERASED, onProgress })).toEqual({ usageRows: 8000, patterns: 2 });
    expect(seen.slice(0, 2)).toEqual([4000, 8000].map((done) => ({ done, total: 8000 })));
    expect((await plain.query(COUNTERS)).rows).toEqual((await plain.query(OF_ROWS)).rows);
    expect((await patterns.load()).get("p1")).toMatchObject({ usage_count: 2000 });
    expect(await patterns.deleteUsage({ agent_id: KEPT, pattern_id: "p1" })).toEqual({ usageRows: 2000, patterns: 1 });
    expect(await patterns.deleteUsage({ pattern_id: "p2" })).toEqual({ usageRows: 2000, patterns: 1 });
    expect((await plain.query("SELECT sum(usage_count) AS left FROM patterns")).rows).toEqual([{ left: "0" }]);
    expect(await patterns.deleteUsage({ pattern_id: "p2" })).toEqual({ usageRows: 0, patterns: 0 });
  });

  test("with erase rewrites the table", async () => {
    const { patterns, plain } = await layOut();
    const files = async (): Promise<unknown[]> => (await plain.query(FILES)).rows;
    const before = await files();
    expect(await patterns.deleteUsage({ agent_id: ERASED, erase: true })).toEqual({ usageRows: 8000, patterns: 2 });
    for (const [index, file] of (await files()).entries()) expect(file).not.toEqual(before[index]);
  });

  // Citus refuses triggers on tables that every server has a copy of.
  const plainTables = needs("plain-tables", ON_CITUS);

  test("fails where a trigger keeps a row, and then changes nothing", plainTables, async () => {
    const { patterns, plain } = await layOut();
    await plain.query(`CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
      CREATE TRIGGER mine BEFORE DELETE ON pattern_usage FOR EACH ROW EXECUTE FUNCTION keep()`);
    await expect(patterns.deleteUsage({ agent_id: ERASED })).rejects.toMatchObject({ code: "PERDURA_STORAGE" });
    expect((await plain.query(COUNTERS)).rows).toEqual((await plain.query(OF_ROWS)).rows);
    await expect(patterns.deleteUsage({})).rejects.toMatchObject({ code: "PERDURA_VALIDATION" });
  });
});
