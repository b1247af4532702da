import { describe, expect, test } from "vitest";
import { COLLECTORS, rowsOf, temporaryDatabase } from "./collectors.ts";

describe.for(COLLECTORS)("a collector of $name that is not to be called", ({ column, open, write }) => {
  test("says so after it was closed, with each call; closing twice does no harm", async () => {
    const collector = open(temporaryDatabase());
    const writer = collector.writer();
    collector.close();
    collector.close();
    const calls = [
      () => collector.journalMode,
      () => collector.recordInteraction("u", 1, true, 1),
      () => collector.recordMany([]),
      () => collector.getAllUsers(),
      () => collector.exportMetrics("x.json"),
    ];
    for (const call of calls) expect(call).toThrow(/^The collector of .*metrics\.db was closed\.$/);
    await expect(write(writer, "u", true, 1)).rejects.toThrow(/was closed/);
  });

  test("says so while it takes records, and all of them stay out", async () => {
    const path = temporaryDatabase();
    using collector = open(path);
    const writer = collector.writer();
    let inner: Promise<unknown> | undefined;
    function* records(): Generator<unknown> {
      yield { user_id: "u", [column]: 1, success: true, response_time_ms: 1 };
      inner = write(writer, "u", true, 1);
      inner.catch(() => undefined);
      void collector.journalMode;
    }
    const refused = /was called by the iterable that it is reading in recordMany\. Nothing was written/;
    expect(() => collector.recordMany(records() as never)).toThrow(refused);
    await expect(inner).rejects.toThrow(refused);
    expect(rowsOf(path, "SELECT * FROM interactions")).toEqual([]);
  });

  test("closes its writer at the end of a block", async () => {
    using collector = open(temporaryDatabase());
    let kept: ReturnType<typeof collector.writer>;
    {
      await using writer = collector.writer();
      kept = writer;
      void writer.recordInteraction("u", 1, true, 1);
    }
    expect(collector.getGlobalStats().total_interactions).toBe(1);
    await expect(kept.recordInteraction("u", 1, true, 1)).rejects.toThrow(
      "The writer was closed. Nothing was written.",
    );
  });
});
