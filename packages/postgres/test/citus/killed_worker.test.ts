import { execSync } from "node:child_process";
import type { InteractionRecord, PerduraError } from "@perdura/v16";
import { expect, onTestFinished, test, vi } from "vitest";
import { PATIENCE_MS } from "../../../../test/patience.ts";
import type { PostgresMetricsCollector } from "../../src/index.ts";
import { countedRows } from "../counted_rows.ts";
import { metricsIn, newSchema, otherProgram } from "../elements.ts";
import { describeOnCitus, LAYOUT } from "./cluster.ts";
import { needs } from "../../../../test/needs.ts";

/** Commands that kill one of the workers, and start it again. */
const [KILL, START] = [process.env["TEST_CITUS_KILL"] ?? "", process.env["TEST_CITUS_START"] ?? ""];

describeOnCitus("a killed worker", (cluster) => {
  test(
    "stops only its users, and every acknowledged call is there after its start, and no part of another",
    needs("citus-commands", KILL === "" || START === ""),
    async () => {
      const name = newSchema();
      const programs = Array.from({ length: 5 }, () => metricsIn(cluster.url, { ...LAYOUT, schema: name }));
      const users = Array.from({ length: 40 }, (_, index) => `u${index}`);
      const [first, ...others] = programs as [PostgresMetricsCollector, ...PostgresMetricsCollector[]];
      await first.recordMany(rowsOf(users, 0));
      await first.getGlobalStats();
      const other = otherProgram(cluster.url, name);
      const calls: Call[] = [];
      let state: "up" | "down" | "up again" = "up";
      const call = async (chosen: string[], record: (number: number) => Promise<unknown>): Promise<Call> => {
        const number = calls.length + 1;
        const made: Call = { number, chosen, fate: "uncertain", during: state };
        calls.push(made);
        try {
          await record(number);
          made.fate = "acknowledged";
        } catch (error) {
          expect(error).toMatchObject({ code: "PERDURA_STORAGE" });
          if (!(error as PerduraError).mayBeWritten) made.fate = "refused";
          made.message = (error as Error).message;
        }
        if (made.during !== state) made.during = undefined;
        return made;
      };
      const end = new AbortController();
      const one = (index: number): string => users[(7 * index) % users.length] as string;
      const some = (index: number): string[] => users.filter((_, place) => (place + index) % 13 === 0);
      const writing = others.map(async (metrics, program) => {
        for (let index = program; !end.signal.aborted; index += 1)
          if (index % 5 === 0) await call(some(index), (number) => metrics.recordMany(rowsOf(some(index), number)));
          else await call([one(index)], (number) => metrics.recordInteraction(one(index), 1, true, number));
      });
      const writer = first.writer();
      const grouping = async (): Promise<void> => {
        for (let index = 0; !end.signal.aborted; index += 1)
          await Promise.all(
            some(index).map((user) => call([user], (number) => writer.recordInteraction(user, 1, true, number))),
          );
      };
      writing.push(grouping());
      const acknowledged = (): Call[] => calls.filter(({ fate }) => fate === "acknowledged");
      const acknowledgedMore = (more: number): Promise<unknown> => {
        const enough = acknowledged().length + more;
        return vi.waitUntil(() => acknowledged().length >= enough, PATIENCE_MS);
      };
      await acknowledgedMore(100);
      onTestFinished(() => {
        end.abort();
        if (state === "down") execSync(START);
      });
      state = "down";
      execSync(KILL);
      await acknowledgedMore(100);
      // Users of the other workers were recorded, and can be asked and recorded together.
      // Not the first one, because sessions of the killed worker end a little later.
      const whileDown = acknowledged().findLast(({ during }) => during === "down");
      const { rows: placed } = await other.query<{ user: string; alive: boolean }>(
        `SELECT given AS user, groupid = first_value(groupid) OVER (ORDER BY given <> $2) AS alive
         FROM unnest($1::text[]) AS given
         JOIN pg_dist_placement ON shardid = get_shard_id_for_distribution_column('interactions', given)`,
        [users, whileDown?.chosen[0]],
      );
      const served = placed.filter(({ alive }) => alive).map(({ user }) => user);
      expect(served.length).toBeLessThan(users.length);
      const isDone = { fate: "acknowledged" };
      expect(await call(served, (number) => first.recordMany(rowsOf(served, number)))).toMatchObject(isDone);
      for (const key of [undefined, "while down"]) {
        const described = call([served[0] as string], (number) =>
          first.recordMetric(served[0] as string, true, number, { a: 1 }, { idempotencyKey: key }),
        );
        expect(await described).toMatchObject(isDone);
      }
      const grouped = await Promise.all(
        users.map((user) => call([user], (number) => writer.recordInteraction(user, 1, true, number))),
      );
      expect(grouped.filter(({ fate }) => fate === "acknowledged").map(({ chosen }) => chosen[0])).toEqual(
        users.filter((user) => served.includes(user)),
      );
      expect((await first.getUserStats(served[0] as string)).total_operations).toBeGreaterThan(1);
      await expect(first.getGlobalStats()).rejects.toMatchObject({ code: "PERDURA_STORAGE" });
      execSync(START);
      state = "up again";
      await expect
        .poll(() =>
          first.getGlobalStats().then(
            () => "asked",
            () => "failed",
          ),
        )
        .toBe("asked");
      await acknowledgedMore(100);
      end.abort();
      await Promise.all(writing);
      // Otherwise the cluster does so within a minute.
      await other.query("SELECT recover_prepared_transactions()");
      const messages = calls.flatMap(({ message }) => message ?? []);
      expect(messages.join("\n")).toMatch(/127\.0\.0\.1|localhost|connection/);
      const { rows: stored } = await other.query<{ number: number; count: number }>(
        "SELECT response_time_ms::int AS number, count(*)::int FROM interactions GROUP BY 1",
      );
      const counts = new Map(stored.map(({ number, count }) => [number, count]));
      const isWrong = ({ number, chosen, fate }: Call): boolean => {
        const count = counts.get(number) ?? 0;
        if (fate === "uncertain") return count !== 0 && count !== chosen.length;
        return count !== (fate === "acknowledged" ? chosen.length : 0);
      };
      expect(calls.filter(isWrong)).toEqual([]);
      const counted = await countedRows(other);
      expect(await first.getGlobalStats()).toEqual(counted.global);
      expect(await first.recount()).toMatchObject({ wrongUsers: [], wrongTotals: false });
    },
  );
});

/** A call that records one row for each of some users. */
interface Call {
  number: number;
  chosen: string[];
  fate: "acknowledged" | "refused" | "uncertain";
  /** The state of the worker; undefined if it changed meanwhile. */
  during: "up" | "down" | "up again" | undefined;
  message?: string;
}

/** Rows that show by their response time which call recorded them. */
function rowsOf(users: string[], call: number): InteractionRecord[] {
  return users.map((user_id) => ({ user_id, success: true, response_time_ms: call }));
}
