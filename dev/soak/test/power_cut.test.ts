import { mkdirSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { powerCut } from "../src/power_cut.ts";
import { seededRandom } from "../../../fixtures/generate/seeded_random.ts";
import { Figures } from "../src/power_cut/figures.ts";
import { judgeWrites } from "../src/power_cut/trial.ts";
import { MIGRATION_WRITERS } from "../src/power_cut/migration_writers.ts";
import type { Writer } from "../src/power_cut/writer.ts";
import { WRITERS } from "../src/power_cut/writers.ts";
import { sample } from "../src/sample.ts";
import type { Trial } from "../src/soak.ts";
import { freshFolder } from "../../../test/fresh_folder.ts";
import { needs } from "../../../test/needs.ts";

const place = freshFolder();

describe("a power cut", needs("mount", powerCut.missing() !== undefined), () => {
  test("loses no acknowledged row, and loses unsynced data of the control", async () => {
    const { complaints, trials } = await sample(powerCut, { only: "record", share: 0.01 });
    expect(complaints).toEqual([]);
    expect(trials).toBeGreaterThan(1);
  });
});

const writerOf = (row: string): Writer => WRITERS.find((each) => each.row === row) as Writer;

/** Directory of a writer after three writes. */
async function written(writer: Writer): Promise<string> {
  const directory = freshFolder(place);
  mkdirSync(directory, { recursive: true });
  await writer.layOut(directory);
  const write = writer.open(directory);
  for (let turn = 1; turn <= 3; turn += 1) await write(turn);
  return directory;
}

const said = (acknowledged: number): { acknowledged: number; atLast: number; failures: string[] } => ({
  acknowledged,
  atLast: acknowledged,
  failures: [],
});

describe("the judge", () => {
  test.for([
    "save a library as JSON",
    "save new libraries as SQLite, merging",
    "record batches (16)",
    "save first states",
    "export",
    "pull backups",
  ])("counts stored and lost writes: %s", async (row) => {
    const directory = await written(writerOf(row));
    expect(await judgeWrites(writerOf(row), directory, said(3))).toEqual({ found: 3, lost: [], wrong: [] });
    expect(await judgeWrites(writerOf(row), directory, said(5))).toMatchObject({
      lost: ["2 of 5 acknowledged writes are lost"],
    });
    expect((await judgeWrites(writerOf(row), directory, said(1))).wrong).toEqual([
      "3 writes are stored, but only 1 were acknowledged",
    ]);
  });

  test.each(MIGRATION_WRITERS)("finds nothing wrong without a power cut: $row", async (writer) => {
    const directory = await written(writer);
    expect(await judgeWrites(writer, directory, said(3))).toEqual({ found: 3, lost: [], wrong: [] });
  });

  test("finds which backup was pulled over a library last", async () => {
    const writer = writerOf("pull a backup over a library");
    const directory = await written(writer);
    for (const [acknowledged, lost] of [
      [2, []],
      [3, []],
      [4, ["1 of 4 acknowledged writes are lost"]],
      [6, ["3 of 6 acknowledged writes are lost"]],
    ] as const)
      expect(await judgeWrites(writer, directory, said(acknowledged))).toEqual({ found: 3, lost, wrong: [] });
  });

  test("reports damage, and failures before the power cut", async () => {
    const [json, state] = [writerOf("save a library as JSON"), writerOf("save a state")];
    const [library, states] = [await written(json), await written(state)];
    truncateSync(join(library, "library.json"), 100);
    expect((await judgeWrites(json, library, said(3))).wrong).toEqual([expect.stringMatching(/^damaged after 3/)]);
    writeFileSync(join(states, "state", "ada.json"), "");
    const failed = { ...said(3), failures: ["Error: x"] };
    expect((await judgeWrites(state, states, failed)).wrong).toContain("failed before the power cut: Error: x");
  });

  test("allows lost rows only with durability normal", async () => {
    const writer = writerOf("record with durability normal");
    const directory = await written(writer);
    expect(await judgeWrites(writer, directory, said(9))).toEqual({ found: 3, lost: [], wrong: [] });
  });

  test("reports a file system on which unsynced files are never lost", () => {
    const trials: Trial[] = [];
    const round = { count: (trial: Trial) => void trials.push(trial), remark: () => undefined };
    const [writer] = WRITERS.filter(({ control }) => control === true) as [Writer];
    const figures = new Figures();
    figures.add("ext4", [{ writer, acknowledged: 3, found: 3, lost: [], wrong: [] }], round);
    const nothingLost = "no unsynced data was lost, so the power was not cut";
    expect(figures.isProven("ext4")).toBe(false);
    figures.conclude(round);
    expect(trials).toMatchObject([{ wrong: [`ext4: ${nothingLost}`] }]);
    // The loss on one kind of file system proves nothing about another.
    figures.add("ext4", [{ writer, acknowledged: 3, found: 0, lost: ["3"], wrong: [] }], round);
    figures.add("xfs", [{ writer, acknowledged: 3, found: 3, lost: [], wrong: [] }], round);
    expect(["ext4", "xfs"].map((kind) => figures.isProven(kind))).toEqual([true, false]);
    figures.conclude(round);
    expect(trials.slice(1)).toMatchObject([{ wrong: [`xfs: ${nothingLost}`] }]);
  });
});

test("random numbers are equal for the same seed and differ for another", () => {
  const numbers = (seed: number): number[] => Array.from({ length: 3 }, seededRandom(seed).fraction);
  expect(numbers(7)).toEqual(numbers(7));
  expect(numbers(7)).not.toEqual(numbers(8));
  expect(numbers(7).every((number) => number >= 0 && number < 1)).toBe(true);
});
