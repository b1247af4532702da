import { NEEDS, type Need } from "../../../test/needs.ts";

/** A test that a run skipped. */
export interface SkippedTest {
  /** Its file and its name, with the note of a test that skips itself. */
  name: string;
  /** A name in `NEEDS`; absent for a test that is skipped for another reason. */
  needs?: string;
}

/**
 * The names in the variable `TEST_REQUIRE`: tests that are skipped for want of these are a failure.
 *
 * @throws Error that lists the names, at one that `NEEDS` does not have.
 */
export function requiredNeeds(variable: string | undefined): Need[] {
  const names = (variable ?? "").split(/\s+/).filter((name) => name !== "");
  const unknown = names.filter((name) => !isNeed(name));
  if (unknown.length > 0) {
    const text = `TEST_REQUIRE: expected names among ${Object.keys(NEEDS).join(", ")}, got ${unknown.join(", ")}. No test was run.`;
    // Vitest prints the stack, which would hide the text.
    throw Object.assign(new Error(text), { stack: "" });
  }
  return [...new Set(names.filter(isNeed))];
}

/** A sentence for each required need that tests were skipped for want of. */
export function missingNeeds(skipped: readonly SkippedTest[], required: readonly Need[]): string[] {
  return required.flatMap((need) => {
    const count = skipped.filter(({ needs }) => needs === need).length;
    if (count === 0) return [];
    return `TEST_REQUIRE names ${need}, which is missing: ${counted(count)} skipped. ${howTo(need)}`;
  });
}

/** A line for each need, the most frequent first, and one for each test that is skipped for another reason. */
export function skippedText(skipped: readonly SkippedTest[]): string {
  const counts = new Map<Need, number>();
  const others: string[] = [];
  for (const { name, needs } of skipped)
    if (needs !== undefined && isNeed(needs)) counts.set(needs, (counts.get(needs) ?? 0) + 1);
    else others.push(name);
  const rows = [...counts]
    .toSorted(([, left], [, right]) => right - left)
    .map(([need, count]) => `${String(count).padStart(5)}  ${howTo(need)}`);
  const total = skipped.length - others.length;
  return [
    ...(rows.length === 0
      ? []
      : ["", `Skipped ${total === 1 ? "1 test, which needs" : `${total} tests, which need`}:`]),
    ...rows,
    ...(others.length === 0 ? [] : ["", "Skipped for other reasons:", ...others.map((name) => `   ${name}`)]),
    ...(skipped.length === 0 ? [] : [""]),
  ].join("\n");
}

const isNeed = (name: string): name is Need => Object.hasOwn(NEEDS, name);

const howTo = (need: Need): string => NEEDS[need].join(": ");

const counted = (count: number): string => (count === 1 ? "1 test was" : `${count} tests were`);
