import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { PatternLibrary, PatternPersistence } from "@perdura/v16";
import Database from "better-sqlite3";
import { describe, expect, onTestFinished, test } from "vitest";
import { freshFolder } from "../fresh_folder.ts";
import { COLLECTORS, rowsOf, temporaryDatabase } from "./collectors.ts";

/** Code of the caller that fails at its own database and file. */
const OWN_FAILURES = [
  {
    what: "a database of its own is held by others",
    fail: (): never => {
      const path = temporaryDatabase();
      const [holder, own] = [new Database(path), new Database(path, { timeout: 0 })];
      onTestFinished(() => [holder, own].forEach((each) => each.close()));
      holder.exec("BEGIN EXCLUSIVE");
      own.prepare("SELECT * FROM sqlite_schema").all();
      throw new Error("never");
    },
    code: "SQLITE_BUSY",
  },
  {
    what: "a file of its own is missing",
    fail: (): never => {
      readFileSync(join(freshFolder(), "missing"));
      throw new Error("never");
    },
    code: "ENOENT",
  },
];

/** Makes failing code, which records its errors. */
function failing({ fail }: (typeof OWN_FAILURES)[number]): { code: () => never; thrown: unknown[] } {
  const thrown: unknown[] = [];
  const code = (): never => {
    try {
      return fail();
    } catch (error) {
      thrown.push(error);
      throw error;
    }
  };
  return { code, thrown };
}

function errorOf(task: () => unknown): unknown {
  try {
    return task();
  } catch (error) {
    return error;
  }
}

describe.for(COLLECTORS)("what code of the caller throws comes out of $name as it is", ({ open, column }) => {
  describe.for(OWN_FAILURES)("where $what", (failure) => {
    const record = { user_id: "u", [column]: 1, success: true, response_time_ms: 1 };

    test("while records come one by one: none of them is stored", () => {
      const path = temporaryDatabase();
      using collector = open(path);
      const { code, thrown } = failing(failure);
      function* records(): Generator<typeof record> {
        yield record;
        code();
      }
      expect(errorOf(() => collector.recordMany(records() as never))).toBe(thrown[0]);
      expect(thrown).toEqual([expect.objectContaining({ code: failure.code })]);
      expect(rowsOf(path, "SELECT count(*) FROM interactions")).toEqual([[0]]);
      expect(collector.recordInteraction("u", 1, true, 1)).toBe(1);
    });

    test("while a record is looked at, or the last was taken in vain: none is stored", () => {
      const path = temporaryDatabase();
      using collector = open(path);
      const { code, thrown } = failing(failure);
      const unreadable = Object.defineProperty({ ...record }, "success", { enumerable: true, get: code });
      expect(errorOf(() => collector.recordMany([record, unreadable] as never))).toBe(thrown[0]);
      function* records(): Generator<unknown> {
        try {
          yield { ...record, response_time_ms: -1 };
        } finally {
          code();
        }
      }
      // An error of its early end does not hide the reason for that.
      expect(errorOf(() => collector.recordMany(records() as never))).toMatchObject({ code: "PERDURA_VALIDATION" });
      expect(thrown).toHaveLength(2);
      expect(rowsOf(path, "SELECT count(*) FROM interactions")).toEqual([[0]]);
    });

    test("while a clock is read: nothing is stored, and it is not asked again", async () => {
      const path = temporaryDatabase();
      const { code, thrown } = failing(failure);
      using collector = open(path, { clock: code });
      expect(errorOf(() => collector.recordInteraction("u", 1, true, 1))).toBe(thrown[0]);
      expect(errorOf(() => collector.recordMany([record] as never))).toBe(thrown[1]);
      await expect(collector.writer().recordInteraction("u", 1, true, 1)).rejects.toSatisfy(
        (error) => error === thrown[2],
      );
      expect(thrown).toHaveLength(3);
      expect(rowsOf(path, "SELECT count(*) FROM interactions")).toEqual([[0]]);
    });

    test("while an export tells how far it is: no file is written, and it is not begun anew", () => {
      const path = temporaryDatabase();
      using collector = open(path);
      collector.recordInteraction("u", 1, true, 1);
      const { code, thrown } = failing(failure);
      const file = join(dirname(path), "export.jsonl");
      expect(errorOf(() => collector.exportMetrics(file, { onProgress: code }))).toBe(thrown[0]);
      expect(thrown).toHaveLength(1);
      expect(readdirSync(dirname(path)).filter((name) => !name.startsWith("metrics.db"))).toEqual([]);
    });
  });

  test("while a writer's clock records into another collector that others hold", async () => {
    const held = temporaryDatabase();
    using other = open(held, { busyTimeoutMs: 0 });
    const holder = new Database(held);
    onTestFinished(() => void holder.close());
    holder.exec("BEGIN IMMEDIATE");
    let asked = 0;
    using collector = open(temporaryDatabase(), {
      clock: () => {
        asked += 1;
        other.recordInteraction("u", 1, true, 1);
        return new Date();
      },
    });
    await expect(collector.writer().recordInteraction("u", 1, true, 1)).rejects.toMatchObject({ path: held });
    expect(asked).toBe(1);
  });
});

test.each(OWN_FAILURES)("what the clock of a library throws comes out as it is, where $what", (failure) => {
  const { code, thrown } = failing(failure);
  const library = new PatternLibrary({ clock: code });
  library.contribute("a", { id: "p", pattern_type: "t", name: "n" });
  const before = structuredClone([...library.patterns]);
  expect(errorOf(() => library.recordUsage("p", "a", true))).toBe(thrown[0]);
  expect(thrown).toHaveLength(1);
  expect([...library.patterns]).toEqual(before);
  expect(errorOf(() => PatternPersistence.saveToJson(library, join(freshFolder(), "l.json")))).toBe(thrown[1]);
});
