import { once } from "node:events";
import { openPersistenceAsync } from "@perdura/v16";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { COLLECTORS, temporaryDatabase } from "./collectors.ts";

describe.each(COLLECTORS)("a writer of $name with onError", ({ open, write }) => {
  test("drops an invalid record, counts it, and stores the others; nothing is rejected", async () => {
    using collector = open(":memory:");
    const errors: unknown[] = [];
    const writer = collector.writer({ onError: (error) => errors.push(error) });
    // Not awaited: a rejection would end the program.
    void write(writer, "", true, 1);
    void write(writer, "u", true, -1);
    expect(await writer.recordInteraction("u", 3, true, 1)).toBe(1);
    expect(await writer.recordInteraction("u", 9, true, 1)).toBeUndefined();
    expect(writer.dropped).toBe(3);
    expect(errors).toEqual([
      expect.objectContaining({ code: "PERDURA_VALIDATION", argument: "userId" }),
      expect.objectContaining({ code: "PERDURA_VALIDATION", argument: "responseTimeMs" }),
      expect.objectContaining({ code: "PERDURA_VALIDATION", argument: "level" }),
    ]);
    expect(collector.getGlobalStats().total_interactions).toBe(1);
  });

  test("drops what comes after the end of its collector or of itself", async () => {
    const codes: unknown[] = [];
    const collector = open(temporaryDatabase());
    const onError = (error: Error): number => codes.push((error as { code?: unknown }).code);
    const [one, other] = [collector.writer({ onError }), collector.writer({ onError })];
    await one.close();
    await write(one, "u", true, 1);
    collector.close();
    await write(other, "u", true, 1);
    expect(codes).toEqual(["PERDURA_CLOSED", "PERDURA_CLOSED"]);
    expect([one.dropped, other.dropped]).toEqual([1, 1]);
  });

  test("drops records that the database refuses: a full disk, a lock for longer than the time-out", async () => {
    const path = temporaryDatabase();
    using collector = open(path, { busyTimeoutMs: 20 });
    const codes: unknown[] = [];
    const writer = collector.writer({ onError: (error) => codes.push((error as { code?: unknown }).code) });
    const other = new Database(path);
    other.exec("BEGIN IMMEDIATE");
    await write(writer, "u", true, 1);
    other.exec("ROLLBACK");
    other.exec("CREATE TRIGGER full BEFORE INSERT ON interactions BEGIN SELECT RAISE(ABORT, 'full'); END");
    await write(writer, "u", true, 1, { tool: "search" });
    other.close();
    expect(codes).toEqual(["PERDURA_BUSY", "PERDURA_STORAGE"]);
    expect(writer.dropped).toBe(2);
  });

  test.each([
    [
      "throws",
      (): void => {
        throw new Error("no log");
      },
    ],
    ["rejects its promise", async (): Promise<void> => Promise.reject(new Error("no log"))],
  ])("warns if onError itself %s", async (_, onError) => {
    using collector = open(":memory:");
    const writer = collector.writer({ onError });
    const warned = once(process, "warning");
    await write(writer, "", true, 1);
    expect((await warned)[0]).toMatchObject({ code: "PERDURA_ON_ERROR", message: expect.stringContaining("no log") });
    expect(writer.dropped).toBe(1);
  });

  test.each([[{ onerror: () => undefined }], [{ onError: "log" }], [null]])("refuses the options %o", (options) => {
    using collector = open(":memory:");
    expect(() => collector.writer(options as object)).toThrow(expect.objectContaining({ code: "PERDURA_VALIDATION" }));
  });
});

test("the asynchronous form drops records in the same way", async () => {
  const codes: unknown[] = [];
  const onError = (error: Error): number => codes.push((error as { code?: unknown }).code);
  await using persistence = await openPersistenceAsync({ persistence_enabled: false }, { onError });
  void persistence.metrics.recordMetric("", true, 1);
  expect(await persistence.metrics.recordInteraction("u", 3, true, 1)).toBe(1);
  expect([persistence.metrics.dropped, codes]).toEqual([1, ["PERDURA_VALIDATION"]]);
  await expect(
    (persistence.metrics.getGlobalStats as (...given: object[]) => Promise<unknown>)({}, {}),
  ).rejects.toMatchObject({
    argument: "arguments",
  });
  await expect(openPersistenceAsync({}, { onError: 3 } as never)).rejects.toMatchObject({ argument: "onError" });
});
