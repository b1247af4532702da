import { join } from "node:path";
import { PostgresMetricsCollector } from "@perdura/postgres";
import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import { MetricsCollector } from "@perdura/v16";
import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { type CopyReport, copyData } from "../../src/index.ts";
import { startNode, untilAnotherRow } from "../live/writer.ts";
import { freshFolder } from "../support/folder.ts";
import { contentOf, makeDatabase, newSchema, otherProgram } from "./both_sides.ts";

const MANY = 20_000;
const ROWS = {
  interactions: Array.from({ length: MANY }, (_, index) => [BigInt(index + 1), "u", 3n, 1n, 1.5, "then"]),
  metadata: [[7n, "{}"]],
};

const interactionsOf = (report: CopyReport): CopyReport["tables"][number] =>
  report.tables.find(({ table }) => table === "interactions") as CopyReport["tables"][number];

/** Clients that record into PostgreSQL, one row at a time; their failures are thrown at the end. */
class Recorders {
  recorded = 0;
  #over = false;
  readonly #loops: Promise<void>[];

  constructor(url: string, schema: string, clients = 3) {
    this.#loops = Array.from({ length: clients }, async (_, client) => {
      const metrics = new PostgresMetricsCollector(url, { schema });
      onTestFinished(() => metrics.close());
      while (!this.#over) {
        await metrics.recordMetric(`client ${client}`, true, 1, { n: this.recorded });
        this.recorded += 1;
      }
    });
    void Promise.allSettled(this.#loops);
  }

  async until(recorded: number): Promise<void> {
    while (this.recorded < recorded)
      await Promise.race([...this.#loops, new Promise((resolve) => setImmediate(resolve))]);
  }

  async end(): Promise<void> {
    this.#over = true;
    await Promise.all(this.#loops);
  }
}

describeWithPostgres("copying what is recorded into meanwhile", (postgres) => {
  test("a source in SQLite: copies one snapshot, and the remaining rows with the next copy", async () => {
    const schema = newSchema();
    const source = makeDatabase(join(freshFolder(), "m.db"), ROWS);
    const writer = startNode("record_16", source, "meanwhile");
    await writer.more(20);
    const before = MANY + writer.recorded.length;
    let during = 0;
    const first = await copyData(source, postgres.url, {
      schema,
      // It continues to record while rows are copied.
      onProgress: ({ stage }) => void (stage === "copy" && (during = untilAnotherRow(source))),
    });
    expect(first).toMatchObject({ exit_code: 0, verified: true });
    expect(interactionsOf(first).rows).toBeGreaterThanOrEqual(before);
    expect(during).toBeGreaterThan(interactionsOf(first).rows);
    expect(await writer.end()).toBe(0);
    const second = await copyData(source, postgres.url, { schema });
    expect(second).toMatchObject({ exit_code: 0, verified: true });
    expect(interactionsOf(second)).toMatchObject({
      present: interactionsOf(first).rows,
      rows: MANY + writer.recorded.length,
    });
    const back = join(freshFolder(), "back.db");
    expect(await copyData(postgres.url, back, { schema })).toMatchObject({ exit_code: 0 });
    expect(contentOf(back)).toEqual(contentOf(source));
  });

  test("a source in PostgreSQL: copies one snapshot, and the remaining rows with the next copy", async () => {
    const schema = newSchema();
    const folder = freshFolder();
    const back = join(folder, "back.db");
    await copyData(makeDatabase(join(folder, "m.db"), ROWS), postgres.url, { schema });
    const recorders = new Recorders(postgres.url, schema);
    await recorders.until(20);
    const before = recorders.recorded;
    const first = await copyData(postgres.url, back, { schema });
    expect(first).toMatchObject({ exit_code: 0, verified: true });
    expect(interactionsOf(first).rows).toBeGreaterThanOrEqual(MANY + before);
    expect(interactionsOf(first).rows).toBeLessThan(MANY + recorders.recorded);
    await recorders.end();
    const second = await copyData(postgres.url, back, { schema });
    expect(second).toMatchObject({ exit_code: 0, verified: true });
    expect(interactionsOf(second)).toMatchObject({
      present: interactionsOf(first).rows,
      rows: MANY + recorders.recorded,
    });
    expect(contentOf(back)["interactions"]?.length).toBe(MANY + recorders.recorded);
  });

  test("a target in PostgreSQL: new rows get other ids and are only counted", async () => {
    const schema = newSchema();
    const source = makeDatabase(join(freshFolder(), "m.db"), ROWS);
    let recorders: Recorders | undefined;
    const first = await copyData(source, postgres.url, {
      schema,
      onProgress: ({ stage }) => {
        // The tables exist now, and their sequences are set.
        if (stage === "copy") recorders ??= new Recorders(postgres.url, schema);
      },
    });
    expect(first).toMatchObject({ exit_code: 0, verified: true });
    expect(interactionsOf(first)).toMatchObject({ copied: MANY, difference_count: 0 });
    await recorders?.until(20);
    const second = await copyData(source, postgres.url, { schema });
    expect(second).toMatchObject({ exit_code: 0, verified: true });
    expect(interactionsOf(second)).toMatchObject({ present: MANY, copied: 0, difference_count: 0 });
    expect(interactionsOf(second).recorded_since).toBeGreaterThanOrEqual(20);
    await recorders?.end();
    const third = await copyData(source, postgres.url, { schema });
    expect(third).toMatchObject({ exit_code: 0, verified: true });
    expect(interactionsOf(third).recorded_since).toBe(recorders?.recorded);
    const other = await otherProgram(postgres.url, schema);
    const { rows } = await other.query("SELECT count(*)::int, min(id) FILTER (WHERE user_id <> 'u') FROM interactions");
    expect(rows).toEqual([{ count: MANY + (recorders?.recorded as number), min: `${MANY + 1}` }]);
  });

  test("a target in SQLite: new rows get other ids and are only counted", async () => {
    const schema = newSchema();
    const folder = freshFolder();
    const back = join(folder, "back.db");
    await copyData(makeDatabase(join(folder, "m.db"), ROWS), postgres.url, { schema });
    expect(await copyData(postgres.url, back, { schema })).toMatchObject({ exit_code: 0 });
    const writer = startNode("record_16", back, "meanwhile");
    await writer.more(20);
    const second = await copyData(postgres.url, back, { schema });
    expect(second).toMatchObject({ exit_code: 0, verified: true });
    expect(interactionsOf(second)).toMatchObject({ present: MANY, copied: 0, difference_count: 0 });
    expect(interactionsOf(second).recorded_since).toBeGreaterThanOrEqual(20);
    await writer.more(1);
    expect(await writer.end()).toBe(0);
    const database = new Database(back, { readonly: true });
    onTestFinished(() => void database.close());
    expect(database.prepare("SELECT count(*) FROM interactions").pluck().get()).toBe(MANY + writer.recorded.length);
  });

  test.each(["PostgreSQL", "SQLite"])(
    "rows recorded in %s after an interrupted copy do not prevent the next copy",
    async (into) => {
      const schema = newSchema();
      const folder = freshFolder();
      const back = join(folder, "back.db");
      const many = 60_000;
      const source = makeDatabase(join(folder, "m.db"), {
        interactions: Array.from({ length: many }, (_, index) => [BigInt(index + 1), "u", 3n, 1n, 1.5, "then"]),
      });
      if (into === "SQLite") await copyData(source, postgres.url, { schema });
      const [from, to] = into === "SQLite" ? [postgres.url, back] : [source, postgres.url];
      const controller = new AbortController();
      const cut = await copyData(from, to, {
        schema,
        signal: controller.signal,
        onProgress: ({ stage, done }) => stage === "copy" && done !== null && done > 54_000 && controller.abort(),
      });
      expect(cut).toMatchObject({ exit_code: 130 });
      if (into === "SQLite") {
        using collector = new MetricsCollector(back);
        expect(collector.recordInteraction("since", 2, true, 1)).toBe(many + 1);
      } else {
        await using metrics = new PostgresMetricsCollector(postgres.url, { schema });
        expect(await metrics.recordInteraction("since", 2, true, 1)).toBeGreaterThan(many);
      }
      const finished = await copyData(from, to, { schema });
      expect(finished).toMatchObject({ exit_code: 0, verified: true });
      expect(interactionsOf(finished)).toMatchObject({ recorded_since: 1, difference_count: 0 });
    },
  );
});
