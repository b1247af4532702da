import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { readCorpus } from "../../src/corpus/corpus.ts";
import type { LoadedCase } from "../../src/corpus/load_cases.ts";
import { loadProfile, profileNames } from "../../src/corpus/load_profile.ts";
import { violations } from "../../src/corpus/schemas.ts";
import { badgeSvg } from "../../src/report/badge.ts";
import { commandAdapter } from "../../src/protocol/stdio.ts";
import { applies } from "../../src/runner/selection.ts";
import type { SuiteResult } from "../../src/runner/suite_options.ts";
import { checkHabits, runUnmodified, type UnmodifiedRun } from "../../src/selftest/check_tolerances.ts";
import { NEVER, rewritesDatabases, TOLERANCES, type Tolerance } from "../../src/selftest/tolerances.ts";
import { answers, value } from "../../src/selftest/mutants/mutations.ts";
import { outcome } from "../selftest/outcome.ts";
import { judgedByProfile } from "../judged_by_profile.ts";
import { runWithLongTimeout } from "../long_timeout_suite.ts";

/** Habits that do not conform, each with its expected fault. */
const WRONG: readonly (Tolerance & { words: RegExp })[] = [
  {
    name: "knows no users",
    choices: {},
    mutation: answers("get_all_users", (answer) => value(answer, () => [])),
    words: /metrics\/all-users(?:-before-16)?: expected /,
  },
  {
    name: "forgets interactions",
    choices: {},
    mutation: rewritesDatabases("interactions", NEVER, () => "DELETE FROM interactions"),
    words: /: expected /,
  },
  {
    name: "breaks down",
    choices: {},
    mutation: answers("save_to_sqlite", () => {
      throw new Error("broken");
    }),
    words: /is not conformant/,
  },
  {
    name: "does what no case asks for",
    choices: {},
    mutation: answers("no_such_operation", (answer) => answer),
    words: /no case of .* can show this habit/,
  },
];

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

    // After a change of the suite: `pnpm vitest run packages/conformance/test/lines --update`.
    it("has the badge of the README", async () => {
      const { records } = (await plainRun()).result;
      const path = `../../../../docs/badges/conformance-${line}.svg`;
      await expect(badgeSvg(records)).toMatchFileSnapshot(path);
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

    // Each habit is tried on the cases of both lines in one of them, and on the others in theirs. `perdura-conformance
    // selftest` tries all habits on all cases of both.
    const otherVersion = line === "15" ? "16.0.0" : "15.0.0";
    const isTried = (habit: Tolerance, tested: LoadedCase): boolean =>
      !applies(tested, otherVersion) || habit.line !== undefined || TOLERANCES.indexOf(habit) % 2 === Number(line) % 2;

    it("passes every must with each tolerated habit", async () => {
      const { hold, faults } = await outcome(checkHabits([await plainRun()], TOLERANCES, isTried));
      expect(faults).toEqual([]);
      expect(hold).toBe(TOLERANCES.length + 1);
    });

    // Faults of habits are found in the same way in both lines.
    it.each(line === "15" ? WRONG : [])("fails where it $name", async (habit) => {
      const { faults } = await outcome(checkHabits([await plainRun()], [habit]));
      expect(faults.map(({ fault }) => fault)).toEqual([expect.stringMatching(habit.words)]);
    });
  });
}

/** Runs the whole suite, with the line's adapter as a program. */
function overStdio(name: string, line: string): Promise<SuiteResult> {
  const program = fileURLToPath(new URL("../../adapters/stdio.ts", import.meta.url));
  const words = [process.execPath, "--conditions=@perdura/source", program, name];
  const adapter = commandAdapter(words.map((word) => JSON.stringify(word)).join(" "));
  return runWithLongTimeout({ adapter, line });
}
