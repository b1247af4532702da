import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { reportOf, summaryOf } from "../src/report.ts";
import { runSoaks } from "../src/run_soaks.ts";
import { sample } from "../src/sample.ts";
import { type Round, shareOf, type Soak } from "../src/soak.ts";
import { Tally } from "../src/tally.ts";
import { freshFolder } from "../../../test/fresh_folder.ts";

const directory = freshFolder();

const soakThat = (run: (round: Round) => void): Soak => ({
  name: "made-up",
  about: "for this test",
  missing: () => undefined,
  run: async (round) => run(round),
});

async function tallyOf(soak: Soak, asked: Partial<Parameters<typeof runSoaks>[0]> = {}): Promise<Tally> {
  const tally = new Tally();
  const run = { soaks: [soak], seed: 7, share: 1, minutes: null, directory, only: undefined, point: undefined };
  await runSoaks({ ...run, tally, interrupted: () => false, tell: () => {}, ...asked });
  return tally;
}

test("counts trials by row, and states how to repeat what was lost", async () => {
  const tally = await tallyOf(
    soakThat((round) => {
      round.count({ row: "saving", trials: 10, lost: ["pattern p"] });
      round.count({ row: "saving" });
      round.count({ row: "loading", wrong: ["a crash", "a file left behind"], repeat: "pnpm again" });
      round.remark("loading", "2 MB");
    }),
  );
  expect(tally.isFine).toBe(false);
  expect(tally.rows).toEqual([
    { soak: "made-up", row: "saving", trials: 11, survived: 10, lost: 1, wrong: 0, remark: "" },
    { soak: "made-up", row: "loading", trials: 1, survived: 0, lost: 0, wrong: 2, remark: "2 MB" },
  ]);
  expect(tally.complaints.map(({ repeat }) => repeat)).toEqual([
    'pnpm soak made-up --only "saving" --seed 7',
    "pnpm again",
    "pnpm again",
  ]);
  const lastLine = (interrupted: boolean) => summaryOf(tally, { seconds: 3, interrupted }).split("\n").at(-1);
  expect(lastLine(false)).toBe("12 trials, 10 survived, 1 lost, 2 wrong (3 s)");
  expect(lastLine(true)).toBe("12 trials, 10 survived, 1 lost, 2 wrong (3 s, interrupted)");
  const made = { commit: "0123456789ab", date: "2026-11-24", node: "v24.21.0", system: "Linux 6.1", processors: 2 };
  const asked = { soaks: ["made-up"], seed: 7, share: 1, minutes: null };
  const facts = { asked, missing: [], interrupted: false, seconds: 3, made };
  expect(reportOf(tally, facts)).toMatchObject({
    fine: false,
    made,
    totals: { trials: 12, survived: 10, lost: 1, wrong: 2 },
  });
});

test("a run without trials is not fine", async () => {
  expect((await tallyOf(soakThat(() => {}))).isFine).toBe(false);
});

test("the directory of a round is empty, and removed afterwards, even if the soak fails", async () => {
  let place = "";
  const failing = soakThat((round) => {
    place = round.place;
    expect(readdirSync(place)).toEqual([]);
    writeFileSync(join(place, "file"), "");
    throw new Error("the soak itself is broken");
  });
  const { complaints, rows } = await tallyOf(failing);
  expect(complaints).toMatchObject([{ row: "the soak itself", kind: "wrong" }]);
  expect(complaints[0]?.text).toContain("the soak itself is broken");
  expect(rows).toMatchObject([{ trials: 0, survived: 0, wrong: 1 }]);
  expect(existsSync(place)).toBe(false);
});

test("a soak that fails itself is not run again, and the others continue", async () => {
  let trials = 0;
  const failing = soakThat(() => {
    throw new Error("the soak itself is broken");
  });
  const other = soakThat((round) => {
    trials += 1;
    round.count({ row: "all" });
  });
  const tally = await tallyOf(failing, { soaks: [failing, other], minutes: 1000, interrupted: () => trials === 3 });
  expect(tally.complaints).toHaveLength(1);
  expect(trials).toBe(3);
  expect((await tallyOf(failing, { minutes: 1000 })).complaints).toHaveLength(1);
});

test("with minutes, rounds continue with the next seeds until the end", async () => {
  const seeds: number[] = [];
  const soak = soakThat((round) => {
    seeds.push(round.seed);
    round.count({ row: "all" });
  });
  const tally = await tallyOf(soak, { minutes: 1000, interrupted: () => seeds.length === 3 });
  expect(seeds).toEqual([7, 8, 9]);
  expect(tally.rows[0]?.trials).toBe(3);
});

test("a sample returns what was lost or wrong, and the number of trials", async () => {
  const soak = soakThat((round) => {
    round.count({ row: "saving", trials: shareOf(1000, round) });
    round.count({ row: "loading", wrong: ["a crash"] });
  });
  expect(await sample(soak, { share: 0.02 })).toEqual({
    trials: 21,
    complaints: ['loading: wrong: a crash (repeat: pnpm soak made-up --only "loading" --seed 0)'],
  });
});
