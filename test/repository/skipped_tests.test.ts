import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { expect, test } from "vitest";
import { missingNeeds, requiredNeeds, type SkippedTest, skippedText } from "../../dev/tools/tests/skipped_tests.ts";
import { type Need, NEEDS } from "../needs.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const ALL = Object.keys(NEEDS) as Need[];

const skippedFor = (needs: Need, count: number): SkippedTest[] =>
  Array.from({ length: count }, (_, index) => ({ name: `a.test.ts: ${needs} ${index}`, needs }));

test("skipped tests are shown in one line a need, the most frequent first", () => {
  const skipped = [...skippedFor("pgbouncer", 2), ...skippedFor("citus", 15), ...skippedFor("strace", 1)];
  expect(skippedText(skipped)).toBe(`
Skipped 18 tests, which need:
   15  a cluster of Citus: TEST_CITUS_URL=postgres://… npm test
    2  PgBouncer: apt-get install pgbouncer
    1  strace, and the right to trace: apt-get install strace; a container takes --cap-add SYS_PTRACE
`);
  expect(skippedText(skippedFor("zsh", 1))).toBe(`
Skipped 1 test, which needs:
    1  zsh: apt-get install zsh
`);
  expect(skippedText([])).toBe("");
});

test("a test that is skipped for another reason is shown by its name", () => {
  const others = [{ name: "b.test.ts: left out (not now)" }, { name: "c.test.ts: unknown", needs: "a miracle" }];
  expect(skippedText([...skippedFor("fish", 1), ...others])).toBe(`
Skipped 1 test, which needs:
    1  fish: apt-get install fish

Skipped for other reasons:
   b.test.ts: left out (not now)
   c.test.ts: unknown
`);
});

test("the shown numbers are the numbers of skipped tests, and no line is shown twice", () => {
  const anySkipped = fc.array(fc.record({ name: fc.constant("a"), needs: fc.constantFrom(...ALL) }));
  fc.assert(
    fc.property(anySkipped, (skipped) => {
      const lines = skippedText(skipped).split("\n").slice(2, -1);
      const counts = lines.map((line) => Number(/^ *(\d+) {2}\S/.exec(line)?.[1]));
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(skipped.length);
      expect(lines).toHaveLength(new Set(skipped.map(({ needs }) => needs)).size);
      expect(counts).toEqual(counts.toSorted((left, right) => right - left));
    }),
  );
});

test("TEST_REQUIRE makes one failure for each required need that tests were skipped for", () => {
  const skipped = [...skippedFor("pgbouncer", 7), ...skippedFor("zsh", 1), ...skippedFor("citus", 3), { name: "x" }];
  expect(missingNeeds(skipped, requiredNeeds(" strace pgbouncer\nzsh pgbouncer "))).toEqual([
    "TEST_REQUIRE names pgbouncer, which is missing: 7 tests were skipped. PgBouncer: apt-get install pgbouncer",
    "TEST_REQUIRE names zsh, which is missing: 1 test was skipped. zsh: apt-get install zsh",
  ]);
  for (const variable of [undefined, "", "strace go"])
    expect(missingNeeds(skipped, requiredNeeds(variable))).toEqual([]);
});

test("an unknown name in TEST_REQUIRE is an error that lists the names", () => {
  expect(() => requiredNeeds("strace pgbounce toString")).toThrow(
    `TEST_REQUIRE: expected names among ${ALL.join(", ")}, got pgbounce, toString. No test was run.`,
  );
});

test("every need is used by a test", () => {
  const sources = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "*.ts"], { cwd: root })
    .toString()
    .split("\n")
    .filter((name) => existsSync(join(root, name)) && !/skipped_tests|^$/.test(name))
    .map((name) => readFileSync(join(root, name), "utf8"))
    .filter((text) => /\b(?:needs|skipWithout)\(/.test(text))
    .map((text) => text.replace(/^export const NEEDS = [^]*?^\}/m, ""))
    .join("\n");
  // Programs that a table in the test names, such as shells, are the keys of that table.
  const unused = ALL.filter((need) => !new RegExp(`"${need}"|^  ${need}: \\{`, "m").test(sources));
  expect(unused).toEqual([]);
});

test.each([".ci/run", ".github/workflows/nightly.yml"])("%s requires needs that exist", (name) => {
  const lines = readFileSync(join(root, name), "utf8").matchAll(/\bTEST_REQUIRE(?:="|: )([^"\n]+)/g);
  const names = [...lines].map(([, words]) => words);
  expect(names.length).toBeGreaterThan(0);
  for (const words of names) expect(() => requiredNeeds(words), words).not.toThrow();
});
