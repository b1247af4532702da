import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { main } from "../src/cli/main.ts";
import { loadCases, shippedCorpus } from "../src/corpus/load_cases.ts";
import { checkAnswer } from "../src/protocol/check_answer.ts";
import { canonicalDecimal } from "../src/values/numbers.ts";
import { freshFolder } from "../../../test/fresh_folder.ts";

const folder = freshFolder();
const PLAIN = /^[^\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]+$/;

test("escapes control characters of the command line", async () => {
  const said = vi.spyOn(process.stderr, "write").mockImplementation((...all: unknown[]) => {
    const written = all.at(-1);
    if (typeof written === "function") (written as () => void)();
    return true;
  });
  try {
    for (const words of [["\u001b[31mred"], ["explain", "\r\u202eforged"], ["cases", "--\u009b31m"]]) await main(words);
    // At its end the program writes an empty text, and waits for it.
    const shown = said.mock.calls.map(([text]) => String(text)).filter((text) => text !== "");
    for (const text of shown) expect(text.replaceAll("\n", "")).toMatch(PLAIN);
    expect(shown).toHaveLength(3);
  } finally {
    said.mockRestore();
  }
});

test.each([
  ["no JSON", '{"id": \u001b[31m'],
  ["a range of no versions", JSON.stringify(theCase({ versions: "\u001b[31m" }))],
  ["a strange requirement", JSON.stringify(theCase({ requirements: ["R-0.0/\u001b[31m"] }))],
])("a case file with %s is named without control characters", (_, text) => {
  mkdirSync(join(folder, "cases", "state"), { recursive: true });
  writeFileSync(join(folder, "cases", "state", "hostile.json"), text);
  const read = (): unknown => loadCases({ cases: join(folder, "cases"), data: folder }, new Map());
  expect(read).toThrow(/cases\/state\/hostile\.json/);
  expect(read).toThrow(PLAIN);
});

function theCase(change: object): object {
  const { cases } = shippedCorpus();
  return { ...(JSON.parse(readFileSync(join(cases, "state", "delete.json"), "utf8")) as object), ...change };
}

test("shows invalid answers without control characters", () => {
  for (const reply of ["\u009b31m", '{"\u2066": 1,'])
    expect(() => checkAnswer(reply, { seq: 1, type: "end" })).toThrow(PLAIN);
});

test("spells a number of a million zeros quickly", () => {
  const zeros = "0".repeat(1_000_000);
  expect(canonicalDecimal(`1.${zeros}1`)).toBe(`1${zeros}1e-1000001`);
});

test("an answer nested too deeply for the validator is a fault of the adapter", () => {
  const value = `${"[".repeat(50_000)}${"]".repeat(50_000)}`;
  const read = (): unknown =>
    checkAnswer(`{"seq":1,"type":"ok","value":${value}}`, { seq: 1, type: "call", op: "a", args: {} });
  expect(read).toThrow(/nested too deep/);
});
