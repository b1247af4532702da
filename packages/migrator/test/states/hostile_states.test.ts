import { expect, test } from "vitest";
import { readState } from "../../src/archive/format/state_file.ts";

const read = (text: string): ReturnType<typeof readState> => readState(Buffer.from(text), "a", "/states/a.json");

test("reads a state with NaN and a long text", () => {
  for (const filling of ["x".repeat(12_000_000), "\\n".repeat(6_000_000)]) {
    const { status, extra } = read(`{"user_id": "a", "trust_level": 0.5, "notes": "${filling}", "score": NaN}`);
    expect(status).toBe("ok");
    expect(extra).toBe(`{"notes": "${filling}", "score": NaN}`);
  }
});

// A regular expression for strings searched from each quotation mark to the end of the text.
test("reads a truncated state in linear time", () => {
  const { status, reason } = read(`{"score": NaN, "notes": "${'\\"'.repeat(4_000_000)}`);
  expect([status, reason]).toEqual(["broken", expect.stringContaining("line 1:")]);
});

test("keeps NaN and Infinity within strings, also after escapes", () => {
  expect(read('{"user_id": "a", "trust_level": 1, "a\\"NaN": "\\\\", "b": [-Infinity, "NaN"]}').extra).toBe(
    '{"a\\"NaN": "\\\\", "b": [-Infinity, "NaN"]}',
  );
});
