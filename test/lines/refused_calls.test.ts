import { describe, expect, test } from "vitest";
import { COLLECTORS, rowsOf, temporaryDatabase } from "./collectors.ts";

describe.for(COLLECTORS)("a collector of $name", ({ column, open, write }) => {
  test("refuses each call after it was closed, and can be closed twice", async () => {
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
      () => collector.forgetUser("u"),
      () => collector.forgetUser("u", { erase: true }),
      () => collector.deleteBefore("2020-01-01"),
      () => collector.compact(),
      () => collector.getBreakdown("tool"),
      () => [...collector.listInteractions()],
    ];
    for (const call of calls)
      expect(call).toThrow(
        expect.objectContaining({
          code: "PERDURA_CLOSED",
          message: expect.stringMatching(/^The collector of .*metrics\.db was closed\.$/) as string,
        }),
      );
    await expect(writer.forgetUser("u")).rejects.toMatchObject({ code: "PERDURA_CLOSED" });
    await expect(writer.deleteBefore("2020-01-01", { erase: true })).rejects.toMatchObject({ code: "PERDURA_CLOSED" });
    await expect(write(writer, "u", true, 1)).rejects.toThrow(/was closed/);
  });

  test("refuses calls while it reads the records of a batch, and stores none of them", async () => {
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

  test("closes its writer at the end of an `await using` block", async () => {
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
