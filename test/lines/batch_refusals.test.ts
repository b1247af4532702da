import { describe, expect, test } from "vitest";
import { COLLECTORS, temporaryDatabase } from "./collectors.ts";

describe.for(COLLECTORS)("recordMany of $name", ({ name, column, open }) => {
  const fine = { user_id: "u", ...(name === "v15" ? { [column]: 3 } : {}), success: true, response_time_ms: 1 };

  test.for([
    [5, "records: expected an array or another iterable of records, got 5."],
    [null, "records: expected an array or another iterable of records, got null."],
    [undefined, "records: expected an array or another iterable of records, got undefined."],
    [{ length: 1, 0: fine }, "records: expected an array or another iterable of records, got an object."],
    ["uv", 'records: expected an array or another iterable of records, got "uv".'],
    [[fine, null], "records[1]: expected an object, got null."],
    [[fine, "u"], 'records[1]: expected an object, got "u".'],
    [[{ ...fine, user_id: "" }], "records[0].user_id: expected text that is not empty."],
    [[fine, { ...fine, [column]: 6 }], `records[1].${column}: expected an integer from 1 to 5, got 6.`],
    [[fine, { ...fine, success: 1 }], "records[1].success: expected a boolean, got 1."],
    [[{ ...fine, response_time_ms: -1 }], "records[0].response_time_ms: expected a finite number of milliseconds, "],
    [[fine, fine, { ...fine, metadata: [] }], "records[2].metadata: expected an object"],
    [
      [{ ...fine, sucess: true }],
      `records[0]: unknown field "sucess"; expected some of user_id, ${column}, success, response_time_ms, metadata.`,
    ],
  ] as const)("refuses %j, names the record and the field, and writes nothing", ([records, reason]) => {
    using collector = open(temporaryDatabase());
    expect(() => collector.recordMany(records as never)).toThrow(reason);
    expect(() => collector.recordMany(records as never)).toThrow("Nothing was written.");
    expect(collector.getGlobalStats().total_interactions).toBe(0);
  });

  test("accepts any iterable of records", () => {
    using collector = open(temporaryDatabase());
    expect(collector.recordMany(new Set([{ ...fine, metadata: null }, { ...fine }]) as never)).toBe(2);
  });
});
