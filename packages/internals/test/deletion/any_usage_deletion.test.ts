import { copyFileSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import Sqlite from "better-sqlite3";
import fc from "fast-check";
import { expect, test } from "vitest";
import { PatternLibrary } from "../../src/patterns/library.ts";
import { PatternPersistence } from "../../src/patterns/persistence.ts";
import { usageDeletionSteps } from "../../src/patterns/sqlite_usage_deletion.ts";
import { checkedUsageDeletion } from "../../src/patterns/usage_deletion.ts";
import { PlacedFile } from "../../src/sqlite/placed_file.ts";
import { newPath } from "../rollup/databases.ts";

const RUNS = Number(process.env["PERDURA_RUNS"] ?? 1) * 40;

const agentOf = (agent: number): string => `agent-${agent}@example.com`;

type Step =
  | { do: "use"; agents: number[] }
  | { do: "foreign"; agent: number }
  | { do: "crash" }
  | { do: "delete"; agent: number | undefined; pattern: number | undefined; erase: boolean; steps: number };

const number = fc.nat(3);

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("use" as const),
      agents: fc.array(number, { minLength: 50, maxLength: 600, size: "max" }),
    }),
  },
  fc.record({ do: fc.constant("foreign" as const), agent: number }),
  fc.record({ do: fc.constant("crash" as const) }),
  {
    weight: 3,
    arbitrary: fc
      .record({
        do: fc.constant("delete" as const),
        agent: fc.option(number, { nil: undefined }),
        pattern: fc.option(fc.nat(1), { nil: undefined }),
        erase: fc.boolean(),
        // A program may end after any of the steps.
        steps: fc.oneof(fc.constant(Infinity), fc.nat(3)),
      })
      .filter(({ agent, pattern }) => agent !== undefined || pattern !== undefined),
  },
);

/** The counters of each pattern, and those of its rows; other programs delete rows without them. */
function expectCounters(path: string, deletedByOthers: ReadonlyMap<string, number>): void {
  const database = new Sqlite(path);
  const found = database
    .prepare(
      `SELECT id, usage_count, success_count + failure_count AS both,
         (SELECT count(*) FROM pattern_usage WHERE pattern_id = patterns.id) AS rows FROM patterns ORDER BY id`,
    )
    .all() as { id: string; usage_count: number; both: number; rows: number }[];
  expect(database.pragma("integrity_check", { simple: true })).toBe("ok");
  database.close();
  for (const { id, usage_count: uses, both, rows } of found)
    expect({ uses, both }).toEqual({ uses: rows + (deletedByOthers.get(id) ?? 0), both: uses });
}

function remove(path: string, asked: Step & { do: "delete" }): void {
  const options = {
    ...(asked.agent === undefined ? {} : { agent_id: agentOf(asked.agent) }),
    ...(asked.pattern === undefined ? {} : { pattern_id: `p${asked.pattern}` }),
    erase: asked.erase,
  };
  if (asked.steps === Infinity) PatternPersistence.deleteUsage(path, options);
  else {
    const database = new Sqlite(path);
    const file = new PlacedFile(database, path);
    const steps = usageDeletionSteps(database, checkedUsageDeletion(options), file);
    for (let done = 0; done < asked.steps && steps.next().done !== true; done += 1);
    steps.return({ usageRows: 0, patterns: 0 });
    file.close();
    return;
  }
  if (!asked.erase || asked.agent === undefined || asked.pattern !== undefined) return;
  const text = agentOf(asked.agent);
  expect(readdirSync(dirname(path)).filter((name) => readFileSync(join(dirname(path), name)).includes(text))).toEqual(
    [],
  );
}

function check(all: Step[]): void {
  let path = newPath();
  const library = new PatternLibrary();
  for (const id of ["p0", "p1"]) library.contribute("owner", { id, pattern_type: "t", name: "n" });
  PatternPersistence.saveToSqlite(library, path);
  const deletedByOthers = new Map<string, number>();
  for (const each of all) {
    if (each.do === "use") {
      const loaded = PatternPersistence.loadFromSqlite(path);
      for (const [place, agent] of each.agents.entries())
        loaded.recordUsage(`p${place % 2}`, agentOf(agent), place % 3 > 0);
      PatternPersistence.saveToSqlite(loaded, path);
    }
    if (each.do === "foreign") {
      const other = new Sqlite(path);
      other.pragma("secure_delete = OFF");
      const gone = other
        .prepare("DELETE FROM pattern_usage WHERE agent_id = ? AND id % 3 = 0 RETURNING pattern_id")
        .pluck()
        .all(agentOf(each.agent)) as string[];
      for (const id of gone) deletedByOthers.set(id, 1 + (deletedByOthers.get(id) ?? 0));
      other.close();
    }
    if (each.do === "crash") {
      const next = newPath();
      for (const end of ["", "-wal", "-journal"]) if (existsSync(path + end)) copyFileSync(path + end, next + end);
      path = next;
    }
    if (each.do === "delete") remove(path, each);
    expectCounters(path, deletedByOthers);
  }
}

test("after any uses, foreign changes, deletions and crashes: counters are those of the rows, and nothing of an erased agent", () => {
  fc.assert(fc.property(fc.array(step, { minLength: 3, maxLength: 10, size: "max" }), check), { numRuns: RUNS });
});
