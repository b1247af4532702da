import { describe, expect, it } from "vitest";
import { markdownData, markdownText, markdownMatrix } from "../../src/report/markdown.ts";
import { everything, HOSTILE } from "./everything.ts";
import { caseRecord, failing, stream } from "./sample_records.ts";

/** The cells of the row with this beginning, without their padding. */
const cells = (text: string, start: string): string[] | undefined =>
  text
    .split("\n")
    .find((line) => line.includes(`| ${start}`))
    ?.split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim());

describe("the Markdown matrix", () => {
  const good = stream([caseRecord("a/a"), caseRecord("a/b", { requirements: ["U-order"], level: "observe" })], {
    run: { implementation: { name: "other", version: "2.0", language: "Go" }, choices: { "U-order": "ruled" } },
  });
  const matrix = markdownMatrix([everything(), good]);

  it("has a column for each implementation and a row for each requirement, by section", () => {
    expect(cells(matrix, "Section")).toEqual(["Section", "Requirement", "acme 1.2.0 (line 16)", "other 2.0 (line 16)"]);
    expect(cells(matrix, "2.1 Pattern record")).toEqual(["2.1 Pattern record", "R-2.1/one", "FAIL", "pass"]);
    expect(cells(matrix, "2.10 A late")).toEqual(["2.10 A late section", "R-2.10/late", "unsupported", "no case"]);
    expect(cells(matrix, "4.1 Pattern")?.slice(2)).toEqual(["FAIL", "no case"]);
    expect(cells(matrix, "Hardening")).toEqual(["Hardening", "X-many", "fail, not scored", "no case"]);
    expect(matrix.indexOf("2.10 A late")).toBeGreaterThan(matrix.indexOf("2.1 Pattern"));
    expect(cells(matrix, "must passed")).toEqual(["must passed", "", "1/6", "1/1"]);
  });

  it("has the answers to the open questions", () => {
    expect(cells(matrix, "U-order")).toEqual([
      "U-order: In which order do patterns come back?",
      "in the order of insertion",
      "sorted by id",
      "as ruled",
    ]);
  });

  it("can have areas as rows", () => {
    const text = markdownMatrix([everything(), good], { by: "area" });
    expect(cells(text, "alpha")).toEqual(["alpha", "1/3 pass, 2 UNEXPECTED", "n/a"]);
    expect(cells(text, "beta")?.[1]).toBe("1/4 pass, 2 UNEXPECTED, 1 expected fail, 1 fail, not scored");
    expect(cells(text, "gamma")?.[1]).toBe("0/2 pass, 1 observed, 1 without result");
  });

  it.each([
    [["pass", "pass"], "pass"],
    [["pass", "fail"], "FAIL"],
    [["pass", "crash"], "FAIL"],
    [["pass", "not-run"], "partly run"],
    [["not-run", "inapplicable"], "not run"],
    [["inapplicable"], "n/a"],
    [["pass", "inapplicable"], "pass"],
  ] as const)("cases %j make the word %s", (verdicts, word) => {
    const cases = verdicts.map((verdict, index) => caseRecord(`a/c-${index}`, { verdict }));
    expect(cells(markdownMatrix([stream(cases)]), "2.1 Pattern record")?.[2]).toBe(word);
  });

  it("needs a report", () => expect(() => markdownMatrix([])).toThrow(/at least one/));
});

describe("text in Markdown", () => {
  it("stays text", () => {
    expect(markdownText("load_from_json | <b> [x](y) `c` _e_")).toBe(
      "load_from_json \\| \\<b\\> \\[x\\](y) \\`c\\` \\_e\\_",
    );
    expect(markdownText("see https://x.invalid")).toBe("see https\\://x.invalid");
    expect(markdownData("perdura 16.1.0")).toBe("perdura 16.1.0");
    expect(markdownData("a`|<b>")).toBe("`` a`\\|<b> ``");
  });

  it("hostile names add no cell, line or markup", () => {
    const hostile = stream([failing("a/a")], {
      run: { implementation: { name: HOSTILE, version: "1", language: "C" } },
    });
    const text = markdownMatrix([hostile]);
    expect(cells(text, "Section")).toHaveLength(3);
    expect(text.split("\n").filter((line) => line.startsWith("|") !== line.endsWith("|"))).toEqual([]);
    expect(text.replace(/(`+) .*? \1/g, "")).not.toMatch(/<script|<img|https?:\/\//);
  });
});
