import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { areaOf } from "../../../../packages/conformance/src/corpus/case.ts";
import { readCorpus } from "../../../../packages/conformance/src/corpus/corpus.ts";
import type { LoadedCase } from "../../../../packages/conformance/src/corpus/load_cases.ts";
import { loadProfile, profileNames } from "../../../../packages/conformance/src/corpus/load_profile.ts";
import { violations } from "../../../../packages/conformance/src/values/schemas.ts";
import { badgeSvg } from "../../../../packages/conformance/src/report/badge.ts";
import { packageRoot } from "../../../../packages/conformance/src/package_root.ts";
import { commandAdapter } from "../../../../packages/conformance/src/protocol/stdio.ts";
import { applies } from "../../../../packages/conformance/src/runner/selection.ts";
import type { SuiteResult } from "../../../../packages/conformance/src/runner/suite_options.ts";
import { isLarge } from "../../src/large_cases.ts";
import { compatible, faultsOfHabits, runUnmodified, type UnmodifiedRun } from "../../src/judge_tolerance.ts";
import type { Tolerance } from "../../src/tolerance.ts";
import { NEVER, rewritesDatabases } from "../../src/mutants/sqlite_mutations.ts";
import { TOLERANCES } from "../../src/tolerances.ts";
import { answers, value } from "../../src/mutants/mutations.ts";
import { judgedByProfile } from "../../../../packages/conformance/test/judged_by_profile.ts";
import { runWithLongTimeout } from "../../../../packages/conformance/test/long_timeout_suite.ts";
import { programWords } from "../../../../test/programs.ts";

/** Habits that do not conform, each with an area of cases that find it and the expected fault. */
const WRONG: readonly (Tolerance & { area: string; words: RegExp })[] = [
  {
    name: "knows no users",
    choices: {},
    mutation: answers("get_all_users", (answer) => value(answer, () => [])),
    area: "metrics",
    words: /metrics\/all-users(?:-before-16)?: expected /,
  },
  {
    name: "forgets interactions",
    choices: {},
    mutation: rewritesDatabases("interactions", NEVER, () => "DELETE FROM interactions"),
    area: "metrics",
    words: /: expected /,
  },
  {
    name: "breaks down",
    choices: {},
    mutation: answers("save_to_sqlite", () => {
      throw new Error("broken");
    }),
    area: "cross-format",
    words: /is not conformant/,
  },
  {
    name: "does what no case asks for",
    choices: {},
    mutation: answers("no_such_operation", (answer) => answer),
    area: "metrics",
    words: /no case of .* can show this habit/,
  },
  {
    name: "names a case that it passes",
    choices: {},
    misses: ["patterns-json/human-readable"],
    mutation: answers("save_to_json", (answer) => answer),
    area: "patterns-json",
    words: /patterns-json\/human-readable: expected a fail/,
  },
];

/** Combinations of habits that are tried with each line. */
const COMBINATIONS = Math.ceil(2 * Number(process.env["PERDURA_RUNS"] ?? 1));
const COMBINATION_SEED = 60;

const TRANSPORTS = ["in this process", "over stdio"] as const;

/** Defines the tests of one line: both transports, without habits, with conforming ones and with others. */
export function judgeLine(name: "perdura-15" | "perdura-16", line: "15" | "16"): void {
  describe(name, () => {
    let run: Promise<UnmodifiedRun> | undefined;
    const plainRun = (): Promise<UnmodifiedRun> => (run ??= runUnmodified(name));

    it.each(TRANSPORTS)("conforms %s", async (transport) => {
      const result = transport === "over stdio" ? await overStdio(name, line) : (await plainRun()).result;
      const { summary, records, cases } = result;
      expect(summary).toMatchObject({ conformant: true, exit_code: 0 });
      expect(records.flatMap((record) => violations("report", record))).toEqual([]);
      // The expected verdicts of both transports.
      const wanted = readCorpus().cases.map((loaded) => ({
        id: loaded.case.id,
        verdict: applies(loaded, String(summary.spec_version)) ? "pass" : "inapplicable",
        failures: [],
      }));
      expect(cases.map(({ id, verdict, failures }) => ({ id, verdict, failures }))).toEqual(wanted);
    });

    it("has the badge of the README, which pnpm generate writes", async () => {
      const { records } = (await plainRun()).result;
      expect(badgeSvg(records)).toBe(
        readFileSync(join(packageRoot(), `../../docs/badges/conformance-${line}.svg`), "utf8"),
      );
    });

    it("leaves out the case of the other line", async () => {
      const { result } = await plainRun();
      const verdictOf = (id: string) => result.cases.find((record) => record.id === id)?.verdict;
      const verdicts = ["versioning/facade", "versioning/facade-removed"].map(verdictOf);
      expect(verdicts).toEqual(line === "15" ? ["pass", "inapplicable"] : ["inapplicable", "pass"]);
    });

    // The pre-16 line has everything that a profile can ask for.
    it.each(line === "15" ? profileNames() : [])("conforms by the profile %s", async (profileName) => {
      expect(loadProfile(profileName).name).toBe(profileName);
      const { result } = await plainRun();
      expect(judgedByProfile(result, profileName)).toEqual({ conformant: true, exit_code: 0 });
    });

    // Each habit is tried on the cases of both lines in one of them, and on the others in theirs, without large cases.
    // With PERDURA_RUNS greater than 1, it is tried on all cases.
    const isWhole = Number(process.env["PERDURA_RUNS"] ?? 1) > 1;
    const otherVersion = line === "15" ? "16.0.0" : "15.0.0";
    const isTried = (habit: Tolerance, tested: LoadedCase): boolean =>
      isWhole ||
      (!isLarge(tested.case) &&
        (!applies(tested, otherVersion) ||
          habit.line !== undefined ||
          TOLERANCES.indexOf(habit) % 2 === Number(line) % 2));

    it.each(TOLERANCES.filter((habit) => habit.line === undefined || habit.line === name))(
      "passes every must where it $name",
      async (habit) => {
        expect(await faultsOfHabits(await plainRun(), [habit], (tested) => isTried(habit, tested))).toEqual([]);
      },
    );

    it("passes every must with any combination of answers", async () => {
      const plain = await plainRun();
      const habits = new Map(
        TOLERANCES.filter(({ line: only = name }) => only === name).map((habit) => [habit.name, habit]),
      );
      const combinations = fc.shuffledSubarray([...habits.keys()], { minLength: 2 });
      const passes = async (names: string[]): Promise<void> => {
        const combination = compatible(names.map((one) => habits.get(one) as Tolerance));
        expect(await faultsOfHabits(plain, combination, (tested) => isWhole || !isLarge(tested.case))).toEqual([]);
      };
      await fc.assert(fc.asyncProperty(combinations, passes), { seed: COMBINATION_SEED, numRuns: COMBINATIONS });
    });

    // Faults of habits are found in the same way in both lines.
    it.each(line === "15" ? WRONG : [])("fails where it $name", async (habit) => {
      const [fault] = await faultsOfHabits(
        await plainRun(),
        [habit],
        (tested) => areaOf(tested.case.id) === habit.area,
      );
      expect(fault).toMatch(habit.words);
    });
  });
}

/** Runs the whole suite, with the line's adapter as a program. */
function overStdio(name: string, line: string): Promise<SuiteResult> {
  const program = pathToFileURL(join(packageRoot(), "adapters", "stdio.ts"));
  // The adapter imports the modules of the line by name, from the sources.
  const words = [process.execPath, "--conditions=@perdura/source", ...programWords(program), name];
  const adapter = commandAdapter(words.map((word) => JSON.stringify(word)).join(" "));
  return runWithLongTimeout({ adapter, line });
}
