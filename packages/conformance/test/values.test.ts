import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { escapeControls, show } from "../src/values/escape.ts";
import { canonicalDecimal, numberFromBigInt, numberFromText, sameNumber } from "../src/values/numbers.ts";
import { valueAt } from "../src/values/json_value.ts";
import { readStrictJson } from "../src/values/strict_json.ts";

const read = (text: string) => readStrictJson(Buffer.from(text));

describe("numbers", () => {
  it("have one canonical spelling", () => {
    for (const [text, canonical] of [
      ["1.0", "1e0"],
      ["10e-1", "1e0"],
      ["-0.0", "0"],
      ["1200", "12e2"],
      ["0.0012", "12e-4"],
      ["NaN", "NaN"],
    ] as const) {
      expect(canonicalDecimal(text)).toBe(canonical);
    }
  });

  it("stay plain if a double holds them", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) =>
        sameNumber(value, numberFromText(String(value))),
      ),
    );
    expect(numberFromText("1.50")).toBe(1.5);
    expect(numberFromText("9007199254740993")).toEqual({ $int: "9007199254740993" });
    expect(numberFromText("1e400")).toEqual({ $number: "1e400" });
    expect(numberFromBigInt(2n ** 60n)).toEqual({ $int: "1152921504606846976" });
  });
});

describe("strict JSON", () => {
  it("reads what JSON.parse reads", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const reading = read(JSON.stringify(value));
        expect(reading.problems).toEqual([]);
        expect(JSON.stringify(reading.value)).toBe(JSON.stringify(value));
      }),
    );
  });

  it.each([
    "",
    "{",
    "[1,]",
    '{"a" 1}',
    "{'a':1}",
    "[1 2]",
    "NaN",
    "[Infinity]",
    "01",
    "[1]x",
    '"\n"',
    "tru",
    '{"a":}',
    "\u00a01",
  ])("refuses %j", (text) => {
    expect(read(text).value).toBeUndefined();
    expect(read(text).problems.join()).toContain("not JSON");
  });

  it("reports a byte order mark, repeated keys and bytes that are not UTF-8", () => {
    expect(read("\uFEFF{}").problems).toEqual(["the file begins with a byte order mark"]);
    expect(read('{"a":1,\n"b":{"c":1,"c":2}}').problems.join()).toContain('"c" occurs twice in one object (line 2');
    expect(readStrictJson(Buffer.from([0x22, 0xff, 0x22])).problems).toEqual(["the file is not UTF-8"]);
  });

  it("keeps exact numbers and every key", () => {
    expect(read("[12345678901234567890, 1.0]").value).toEqual([{ $int: "12345678901234567890" }, 1]);
    expect(valueAt(read('{"__proto__":{"x":1}}').value, "/__proto__/x")).toBe(1);
  });
});

describe("text for a terminal", () => {
  it("escapes control characters", () => {
    expect(escapeControls("a\u001b[31mb\u0007\u202e\ud800\r")).toBe("a\\u001b[31mb\\u0007\\u202e\\ud800\\u000d");
    expect(show("x".repeat(900))).toContain("(902 characters)");
    expect(show(undefined)).toBe("nothing");
  });
});
