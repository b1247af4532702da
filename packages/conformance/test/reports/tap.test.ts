import { describe, expect, it } from "vitest";
import { tapReport } from "../../src/report/tap.ts";
import { everything } from "./everything.ts";
import { failing, stream } from "./sample_records.ts";

describe("TAP", () => {
  const lines = tapReport(everything()).split("\n");
  const point = (id: string): string => lines.find((line) => / - /.test(line) && line.includes(id)) ?? "";

  it("has a plan, a point for each case, and directives", () => {
    expect(lines.slice(0, 2)).toEqual(["TAP version 14", "1..11"]);
    expect(point("alpha/passes")).toBe("ok 3 - alpha/passes: alpha/passes holds");
    expect(point("alpha/fails")).toBe("not ok 2 - alpha/fails: alpha/fails holds");
    expect(point("beta/known")).toContain("# TODO expected failure: fail (bug), https://example.org/7");
    expect(point("beta/hard")).toMatch(/^not ok .* # TODO not scored$/);
    expect(point("beta/missing")).toMatch(/^not ok [^#]*$/);
    expect(point("beta/fixed")).toMatch(/^not ok [^#]*$/);
    expect(point("beta/other-line")).toMatch(/^ok .* # SKIP inapplicable: does not apply to 16.0.0$/);
    expect(point("beta/gone")).toBe("not ok 11 - beta/gone");
  });

  it("has a YAML block with the expected and the actual value", () => {
    const at = lines.indexOf(point("alpha/fails"));
    const block = lines.slice(at + 1, lines.indexOf("  ...", at) + 1);
    expect(block[0]).toBe("  ---");
    expect(block).toContain(String.raw`      wanted: "\"2025-03-01\""`);
    expect(block).toContain("    - step: 2");
    expect(block.at(-2)).toContain("again:");
  });

  it("a title cannot add a directive or a second line", () => {
    const text = tapReport(stream([failing("a/evil", { title: "x # SKIP all\nok 2 - forged \\" })]));
    expect(text).toContain(String.raw`not ok 1 - a/evil: x \# SKIP all\\u000aok 2 - forged \\` + "\n");
  });
});
