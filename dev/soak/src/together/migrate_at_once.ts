import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { layOutStates } from "../../../../fixtures/lay_out.ts";
import { fixture } from "../../../../fixtures/paths.ts";
import { main } from "../../../../packages/migrator/src/cli/main.ts";
import { copyDatabase } from "../../../../test/legacy/legacy_fixtures.ts";
import { addRows } from "../../../../test/legacy/legacy_database.ts";
import { type DataState, firstDifference, isReport, isUnfinished, lookAt, namesIn } from "../migrations/data_state.ts";
import { type Round, shareOf } from "../soak.ts";
import { copyOf } from "../system_calls/copy_of.ts";
import { type Random, seededRandom } from "../../../../fixtures/generate/seeded_random.ts";
import { endText, runProgram } from "./run_program.ts";
import { runMain } from "../../../../test/run_main.ts";

/** Repetitions of each scenario in a full round. */
const TIMES = 6;

const STATES = ["empathy_state", "attune_state"];
const UP = ["up", "--invalid-rows", "quarantine"];
const DOWN = ["down"];
const PRUNE = ["prune", "--yes"];
const PRUNE_ALL = ["prune", "--backups", "--yes"];

/** Commands that run at once on one tree. */
interface Scenario {
  row: string;
  migrators: number;
  /** Commands that have been run before. */
  earlier: string[][];
  /** Commands of each migrator; one of them at random if there are several. */
  commands: string[][];
}

const SCENARIOS: readonly Scenario[] = [
  { row: "two migrators: up", migrators: 2, earlier: [], commands: [UP] },
  { row: "eight migrators: up", migrators: 8, earlier: [], commands: [UP] },
  { row: "two migrators: down", migrators: 2, earlier: [UP], commands: [DOWN] },
  { row: "eight migrators: prune", migrators: 8, earlier: [UP], commands: [PRUNE] },
  { row: "eight migrators: down after prune", migrators: 8, earlier: [UP, PRUNE_ALL], commands: [DOWN] },
  { row: "two migrators: mixed", migrators: 2, earlier: [UP], commands: [UP, DOWN, PRUNE] },
  { row: "eight migrators: mixed", migrators: 8, earlier: [], commands: [UP, UP, DOWN, PRUNE] },
];

/** Migrators that work on one tree at once: each must succeed or report why not, and nothing may be lost. */
export async function migrateAtOnce(round: Round, migrate: () => string): Promise<void> {
  for (const scenario of SCENARIOS) {
    if (round.isOver() || !round.wants(scenario.row)) continue;
    const place = join(round.place, "at-once");
    const ways = new Map<string, number>();
    for (let time = 0; time < shareOf(TIMES, round) && !round.isOver(); time += 1) {
      mkdirSync(place);
      const wrong = await tryOnce(
        scenario,
        place,
        migrate(),
        seededRandom(round.seed, `${scenario.row} ${time}`),
        ways,
      );
      round.count({ row: scenario.row, trials: scenario.migrators, wrong: wrong.slice(0, 10) });
      rmSync(place, { recursive: true });
    }
    round.remark(
      scenario.row,
      [...ways]
        .map(([way, count]) => `${way} ×${count}`)
        .toSorted()
        .join(", "),
    );
  }
}

/** A tree of databases of several layouts and two directories of states. */
function layOut(directory: string): void {
  mkdirSync(join(directory, "agents"), { recursive: true });
  for (const [layout, name] of [
    ["field-a-invalid", "metrics.db"],
    ["documented-15-user-objects", "agents/one.db"],
    ["field-a-user-objects", "agents/two.db"],
    ["both-a-15", "agents/three.db"],
  ] as const)
    copyDatabase(fixture("legacy", `${layout}.db`), join(directory, name));
  addRows(join(directory, "metrics.db"), "metrics", 2000);
  layOutStates("broken", join(directory, "empathy_state"));
  layOutStates("field", join(directory, "attune_state"));
}

async function tryOnce(
  { migrators, earlier, commands }: Scenario,
  place: string,
  migrate: string,
  random: Random,
  ways: Map<string, number>,
): Promise<string[]> {
  const data = join(place, "data");
  const wrong: string[] = [];
  const alone = async (words: readonly string[]): Promise<void> => {
    const ended = await runMain(main, [...words, "--json", data]);
    if (ended.code !== 0) wrong.push(endText(words, ended));
  };
  layOut(data);
  const original = look(data, place);
  for (const words of earlier) await alone(words);
  await Promise.all(
    Array.from({ length: migrators }, async () => {
      const words = random.pick(commands);
      // The tree may be in use, or have nothing left to do. A prune may find a difference in the middle of another run.
      const ended = await runProgram(migrate, ...words, "--json", data);
      if (!(words === PRUNE ? [0, 4, 5] : [0, 5]).includes(ended.code ?? -1)) wrong.push(endText(words, ended));
      const way = `${words[0]} ${ended.code}`;
      ways.set(way, (ways.get(way) ?? 0) + 1);
    }),
  );
  await alone(UP);
  await alone(["verify"]);
  wrong.push(...leftIn(data, "after the last up"));
  await alone(DOWN);
  wrong.push(...differences(original, look(data, place)).map((text) => `after the last down ${text}`));
  wrong.push(...leftIn(data, "after the last down"));
  return wrong;
}

const look = (data: string, place: string): DataState => lookAt(copyOf(data, join(place, "look")), STATES);

/**
 * Differences between the data before the first migration and after the last. Additional backups and archives are
 * allowed.
 */
function differences(before: DataState, after: DataState): string[] {
  return [...before].flatMap(([name, text]) =>
    after.get(name) === text ? [] : [`${name} was changed: ${firstDifference(after.get(name), text)}`],
  );
}

function leftIn(data: string, when: string): string[] {
  return namesIn(data)
    .filter((name) => isUnfinished(name) && !isReport(name))
    .map((name) => `${when} ${name} was left behind`);
}
