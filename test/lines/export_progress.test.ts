import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ExportOptions } from "@perdura/v16";
import { describe, expect, test } from "vitest";
import { COLLECTORS, temporaryDatabase } from "./collectors.ts";

describe.for(COLLECTORS)("the progress of an export in $name", ({ name, column, open }) => {
  const fine = { user_id: "u", ...(name === "v15" ? { [column]: 3 } : {}), success: true, response_time_ms: 1 };

  function exported(rows: number, onProgress: ExportOptions["onProgress"]): { file: string; run: () => number } {
    const path = temporaryDatabase();
    const file = join(dirname(path), "out.csv");
    const run = (): number => {
      using collector = open(path);
      collector.recordMany(Array.from({ length: rows }, () => fine) as never);
      return collector.exportMetrics(file, { onProgress });
    };
    return { file, run };
  }

  test.for([
    [0, [0]],
    [3, [0, 3]],
    [50_000, [0, 50_000]],
    [50_001, [0, 50_000, 50_001]],
  ] as const)("of %i interactions is reported at %j", ([rows, reported]) => {
    const heard: object[] = [];
    expect(exported(rows, (progress) => heard.push(progress)).run()).toBe(rows);
    expect(heard).toEqual(reported.map((done) => ({ done, total: rows })));
  });

  test("onProgress ends the export by an error, which is rethrown, and leaves no file", () => {
    for (const own of [new Error("stop"), null, undefined]) {
      const { file, run } = exported(3, () => {
        throw own as Error;
      });
      let caught: unknown = "nothing";
      try {
        run();
      } catch (error) {
        caught = error;
      }
      expect(caught).toBe(own);
      expect(existsSync(file)).toBe(false);
      expect(readdirSync(dirname(file)).filter((each) => !each.startsWith("metrics.db"))).toEqual([]);
    }
  });

  test.for([
    [{ onProgress: 5 }, "onProgress: expected a function, got 5. Nothing was written."],
    [{ onProgres: () => undefined }, 'options: unknown option "onProgres"; expected one of onProgress.'],
    [null, "options: expected an object, got null."],
  ] as const)("refuses the options %j", ([options, reason]) => {
    const path = temporaryDatabase();
    using collector = open(path);
    expect(() => collector.exportMetrics(join(dirname(path), "out.csv"), options as never)).toThrow(reason);
    expect(existsSync(join(dirname(path), "out.csv"))).toBe(false);
  });
});
