import { closeSync, openSync, writeSync } from "node:fs";
import { BusyError } from "@perdura/v16";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { COLLECTORS, rowsOf, temporaryDatabase } from "./collectors.ts";

describe.for(COLLECTORS)(
  "when some rows cannot be stored, the writer of the MetricsCollector of $name",
  ({ column, open }) => {
    test("stores the other rows when the database refuses one", async () => {
      const path = temporaryDatabase();
      using collector = open(path);
      const other = new Database(path);
      other.exec(`CREATE TRIGGER refuse BEFORE INSERT ON interactions WHEN NEW.user_id = 'b'
      BEGIN SELECT RAISE(ROLLBACK, 'not b'); END`);
      other.close();
      const writer = collector.writer();
      const calls = ["a", "b", "c"].map((user) => writer.recordInteraction(user, 2, true, 1));
      expect((await Promise.allSettled(calls)).map(({ status }) => status)).toEqual([
        "fulfilled",
        "rejected",
        "fulfilled",
      ]);
      await expect(calls[1]).rejects.toMatchObject({
        code: "PERDURA_STORAGE",
        message: expect.stringContaining("not b"),
      });
      expect(rowsOf(path, `SELECT user_id, ${column} FROM interactions ORDER BY id`)).toEqual([
        ["a", 2],
        ["c", 2],
      ]);
    });

    test("rejects all calls with the same error when the database is damaged", async () => {
      const path = temporaryDatabase();
      open(path).close();
      const other = new Database(path);
      const page = other.pragma("page_size", { simple: true }) as number;
      const root = other
        .prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'interactions'")
        .pluck()
        .get() as number;
      other.close();
      const file = openSync(path, "r+");
      writeSync(file, Buffer.alloc(page, 0xff), 0, page, (root - 1) * page);
      closeSync(file);
      using collector = open(path);
      const writer = collector.writer();
      const calls = await Promise.allSettled(["a", "b", "c"].map((user) => writer.recordInteraction(user, 2, true, 1)));
      const [first, ...others] = calls.map((call) =>
        call.status === "rejected" ? (call.reason as unknown) : undefined,
      );
      expect(first).toMatchObject({ code: "PERDURA_CORRUPT_DATA", path });
      // A single detection of the damage is enough: the next row is not tried.
      for (const error of others) expect(error).toBe(first);
    });

    test("stores the other rows when the clock fails for one", async () => {
      const path = temporaryDatabase();
      let asked = 0;
      using collector = open(path, {
        clock: () => {
          asked += 1;
          // The second row, with the others and then separately.
          if (asked === 2 || asked === 4) throw new Error("no time");
          return new Date(0);
        },
      });
      const writer = collector.writer();
      const calls = await Promise.allSettled(["a", "b", "c"].map((user) => writer.recordInteraction(user, 1, true, 1)));
      expect(calls.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
      expect(rowsOf(path, "SELECT user_id FROM interactions ORDER BY id")).toEqual([["a"], ["c"]]);
      expect(asked).toBe(5);
    });

    test("rejects with a BusyError after the busy time-out", async () => {
      const path = temporaryDatabase();
      using collector = open(path, { busyTimeoutMs: 20 });
      const other = new Database(path);
      other.exec("BEGIN IMMEDIATE");
      const error: unknown = await collector
        .writer()
        .recordInteraction("a", 1, true, 1)
        .catch((caught: unknown) => caught);
      expect(error).toBeInstanceOf(BusyError);
      other.close();
      expect(await collector.writer().recordInteraction("b", 1, true, 1)).toBe(1);
    });

    test("stores the other rows when the clock fails because another database is locked", async () => {
      const [path, held] = [temporaryDatabase(), temporaryDatabase()];
      using other = open(held, { busyTimeoutMs: 0 });
      const holder = new Database(held);
      holder.exec("BEGIN IMMEDIATE");
      let asked = 0;
      using collector = open(path, {
        clock: () => {
          asked += 1;
          if (asked === 2 || asked === 4) other.recordInteraction("u", 1, true, 1);
          return new Date(0);
        },
      });
      const writer = collector.writer();
      const calls = await Promise.allSettled(["a", "b", "c"].map((user) => writer.recordInteraction(user, 1, true, 1)));
      holder.close();
      expect(calls.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
      expect(calls[1]).toMatchObject({ reason: { code: "PERDURA_BUSY", path: held } });
    });
  },
);
