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
    what: "its own database is locked by another connection",
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
    what: "its own file is missing",
    fail: (): never => {
      readFileSync(join(freshFolder(), "missing"));
      throw new Error("never");
    },
    code: "ENOENT",
  },
];

/** Makes failing code, which records its errors. */
function failing({ fail }: (typeof OWN_FAILURES)[number]): { code: () => never; errors: unknown[] } {
  const errors: unknown[] = [];
  const code = (): never => {
    try {
      return fail();
    } catch (error) {
      errors.push(error);
      throw error;
    }
  };
  return { code, errors };
}

function errorOf(task: () => unknown): unknown {
  try {
    return task();
  } catch (error) {
    return error;
  }
}

describe.for(COLLECTORS)("$name rethrows errors of the caller's code unchanged", ({ open, column }) => {
  describe.for(OWN_FAILURES)("when $what", (failure) => {
    const record = { user_id: "u", [column]: 1, success: true, response_time_ms: 1 };

    test("from the iterator of records, and stores none of them", () => {
      const path = temporaryDatabase();
      using collector = open(path);
      const { code, errors } = failing(failure);
      function* records(): Generator<typeof record> {
        yield record;
        code();
      }
      expect(errorOf(() => collector.recordMany(records() as never))).toBe(errors[0]);
      expect(errors).toEqual([expect.objectContaining({ code: failure.code })]);
      expect(rowsOf(path, "SELECT count(*) FROM interactions")).toEqual([[0]]);
      expect(collector.recordInteraction("u", 1, true, 1)).toBe(1);
    });

    test("from a getter of a record, and stores none; the error of a refused record takes precedence", () => {
      const path = temporaryDatabase();
      using collector = open(path);
      const { code, errors } = failing(failure);
      const unreadable = Object.defineProperty({ ...record }, "success", { enumerable: true, get: code });
      expect(errorOf(() => collector.recordMany([record, unreadable] as never))).toBe(errors[0]);
      function* records(): Generator<unknown> {
        try {
          yield { ...record, response_time_ms: -1 };
        } finally {
          code();
        }
      }
      // An error of its early end does not hide the reason for that.
      expect(errorOf(() => collector.recordMany(records() as never))).toMatchObject({ code: "PERDURA_VALIDATION" });
      expect(errors).toHaveLength(2);
      expect(rowsOf(path, "SELECT count(*) FROM interactions")).toEqual([[0]]);
    });

    test("from the clock, and neither stores a row nor calls the clock again", async () => {
      const path = temporaryDatabase();
      const { code, errors } = failing(failure);
      using collector = open(path, { clock: code });
      expect(errorOf(() => collector.recordInteraction("u", 1, true, 1))).toBe(errors[0]);
      expect(errorOf(() => collector.recordMany([record] as never))).toBe(errors[1]);
      await expect(collector.writer().recordInteraction("u", 1, true, 1)).rejects.toSatisfy(
        (error) => error === errors[2],
      );
      expect(errors).toHaveLength(3);
      expect(rowsOf(path, "SELECT count(*) FROM interactions")).toEqual([[0]]);
    });

    test("from onProgress, and neither writes a file nor restarts the export", () => {
      const path = temporaryDatabase();
      using collector = open(path);
      collector.recordInteraction("u", 1, true, 1);
      const { code, errors } = failing(failure);
      const file = join(dirname(path), "export.jsonl");
      expect(errorOf(() => collector.exportMetrics(file, { onProgress: code }))).toBe(errors[0]);
      expect(errors).toHaveLength(1);
      expect(readdirSync(dirname(path)).filter((name) => !name.startsWith("metrics.db"))).toEqual([]);
    });
  });

  test("from the clock of a writer that records into another, locked collector", async () => {
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

test.each(OWN_FAILURES)("a library rethrows an error of its clock unchanged when $what", (failure) => {
  const { code, errors } = failing(failure);
  const library = new PatternLibrary({ clock: code });
  library.contribute("a", { id: "p", pattern_type: "t", name: "n" });
  const before = structuredClone([...library.patterns]);
  expect(errorOf(() => library.recordUsage("p", "a", true))).toBe(errors[0]);
  expect(errors).toHaveLength(1);
  expect([...library.patterns]).toEqual(before);
  expect(errorOf(() => PatternPersistence.saveToJson(library, join(freshFolder(), "l.json")))).toBe(errors[1]);
});
