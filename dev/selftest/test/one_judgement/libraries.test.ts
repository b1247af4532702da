import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Line } from "../../../../packages/conformance/src/judge_file/file_report.ts";
import { BREACHES, KEPT_FROM_ELSEWHERE, SPELLINGS, type LibraryChange } from "./altered_library.ts";
import { WRITTEN, casesAbout, judgeBothWays, type Judgements } from "./both_ways.ts";

const rewrite =
  (changes: readonly LibraryChange[]) =>
  (path: string): boolean => {
    const text = readFileSync(path, "utf8");
    writeFileSync(
      path,
      changes.reduce((changed, { apply }) => apply(changed), text),
    );
    return true;
  };

describe.each(["15", "16"] as const)("line %s: run and check-file agree on a library", (line: Line) => {
  const cases = casesAbout(WRITTEN.library, line);
  const judge = (...changes: LibraryChange[]): Promise<Judgements> =>
    judgeBothWays(WRITTEN.library, line, cases, rewrite(changes));

  it("as it was saved", async () => {
    expect(cases.length).toBeGreaterThan(20);
    expect(await judge()).toMatchObject({ run: [], checkFile: [] });
  });

  it.each(SPELLINGS)("in another spelling: $name", async (change) => {
    expect(await judge(change)).toMatchObject({ run: [], checkFile: [] });
  });

  it.each(BREACHES)("in another form: $name", async (change) => {
    const { run, checkFile } = await judge(change);
    expect(run).not.toEqual([]);
    expect(checkFile).not.toEqual([]);
  });

  it.each(KEPT_FROM_ELSEWHERE)("except what it may have kept from another file: $name", async (change) => {
    const { run, checkFile } = await judge(change);
    expect(run).not.toEqual([]);
    expect(checkFile).toEqual([]);
  });
});
