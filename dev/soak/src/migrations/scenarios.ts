import { join } from "node:path";
import { layOutMigration, layOutStates } from "../../../../fixtures/lay_out.ts";
import { fixture } from "../../../../fixtures/paths.ts";
import { connect } from "../../../../test/legacy/legacy_database.ts";
import { copyDatabase, furtherLayouts, legacyAnswers } from "../../../../test/legacy/legacy_fixtures.ts";

/** A run of perdura-migrate that is disturbed at every system call. */
export interface Scenario {
  /** Command and layout, for example `up field-a-invalid`. */
  name: string;
  /** Puts the data into an empty folder. */
  layOut: (folder: string) => void;
  /** Commands that have been run before, without their target. */
  earlier: string[][];
  /** The command that is disturbed, without its target. */
  words: string[];
  /** Names of the directories of states. */
  states: string[];
  /** Part of the calls after which a first run was killed, 0 to 1; then the second run is disturbed. */
  cutOff?: number;
}

/** Databases that were found in the field, with one of every other layout. */
const CHOSEN = [
  "documented-15-user-objects",
  "documented-15-invalid",
  "documented-15-unparsable-views",
  "documented-15-wal",
  "documented-15-hot-journal",
  "field-a-invalid",
  "field-a-user-objects",
  "field-a-unparsable-views",
  "field-a-wal",
  "field-a-hot-journal",
  "field-a-auto-vacuum",
  "field-b",
  "field-c",
  "field-d",
  "combined-a",
  "combined-b",
  "half-upgraded",
  "both-a-15",
  "both-b-16",
  "both-older-metrics",
  "field-patterns",
];
const LAYOUTS = [...CHOSEN, ...furtherLayouts(CHOSEN)];

/** The options that migrate a database of the fixtures to 16, as its expected answers have them. */
function optionsFor(layout: string): string[] {
  const options = Object.entries(legacyAnswers(layout).migrated.at(-1)?.options ?? {});
  return options.flatMap(([option, value]) => [`--${option}`, String(value)]);
}

/** Other options, each on a layout for which they matter. */
const OPTIONS: [layout: string, options: string[]][] = [
  ["field-a", ["--fence", "none"]],
  ["field-a", ["--no-backup"]],
  ["field-a", ["--rehearse"]],
  ["field-a-wal", ["--no-backup"]],
  ["field-a-wal", ["--rehearse"]],
];

const up = (layout: string, layOut: Scenario["layOut"], options: string[] = [], states: string[] = []): Scenario => ({
  name: ["up", layout, ...options].join(" "),
  layOut,
  earlier: [],
  words: ["up", "--json", ...options],
  states,
});

/** The same data after their migration, with another command. */
const after = ({ name, layOut, words, states }: Scenario, ...commands: [string[], ...string[][]]): Scenario => ({
  name: [...commands.toReversed().flat(), "after", name].join(" "),
  layOut,
  earlier: [words, ...commands.slice(0, -1)],
  words: [...(commands.at(-1) as string[]), "--json"],
  states,
});

/** The run after one that was killed. */
const repeated = (scenario: Scenario, cutOff: number): Scenario => ({
  ...scenario,
  name: `${scenario.name} again, after a kill at ${cutOff}`,
  cutOff,
});

const database =
  (layout: string): Scenario["layOut"] =>
  (folder) =>
    copyDatabase(fixture("legacy", `${layout}.db`), join(folder, "metrics.db"));

/** Large enough to be copied and checked in other processes during inspection. Most of it is free pages. */
const large: Scenario["layOut"] = (folder) => {
  database("documented-15-user-objects")(folder);
  const connection = connect(join(folder, "metrics.db"));
  connection.exec("CREATE TABLE filler (x); INSERT INTO filler VALUES (zeroblob(40000000)); DROP TABLE filler");
  connection.close();
};

const states: Scenario["layOut"] = (folder) => {
  layOutStates("broken", join(folder, "empathy_state"));
  layOutStates("field", join(folder, "attune_state"));
};
const migration =
  (name: string): Scenario["layOut"] =>
  (folder) =>
    void layOutMigration(name, folder);

const PRUNE = ["prune", "--yes"];
const PRUNE_ALL = ["prune", "--backups", "--yes"];

const LAYOUT_RUNS = LAYOUTS.map((layout) => up(layout, database(layout), optionsFor(layout)));
const STATES = up("states", states, [], ["empathy_state", "attune_state"]);
const PERSISTENCE = up("persistence-directory", migration("persistence-directory"), [], ["state"]);
const LEVELS = up(
  "levels-from-states",
  migration("levels-from-states"),
  ["--missing-level", "from-state,2"],
  ["state"],
);
const ALL_TOGETHER = [PERSISTENCE, after(PERSISTENCE, PRUNE_ALL), after(PERSISTENCE, PRUNE_ALL, ["down"])];

/** All runs of the soak. */
export const SCENARIOS: readonly Scenario[] = [
  ...LAYOUT_RUNS,
  up("large", large),
  ...OPTIONS.map(([layout, options]) => up(layout, database(layout), options)),
  ...LAYOUT_RUNS.map((run) => after(run, ["down"])),
  after(up("field-a", database("field-a"), ["--no-backup"]), ["down"]),
  STATES,
  after(STATES, PRUNE),
  after(STATES, PRUNE, ["down"]),
  ...ALL_TOGETHER,
  LEVELS,
  after(LEVELS, ["down"]),
  // A backup without its final name, a hot journal, a half-finished migration.
  ...[0.1, 0.5, 0.8].flatMap((part) => ALL_TOGETHER.map((scenario) => repeated(scenario, part))),
  repeated(up("field-a-wal", database("field-a-wal")), 0.9),
];

/** @throws {Error} for a name that no run has. */
export function scenarioNamed(name: string): Scenario {
  const scenario = SCENARIOS.find((each) => each.name === name);
  if (scenario === undefined) throw new Error(`no migration is named ${name}`);
  return scenario;
}
