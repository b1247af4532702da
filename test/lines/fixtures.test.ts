import { cpSync, existsSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { StateManager } from "@perdura/v15";
import * as v15 from "@perdura/v15";
import * as v16 from "@perdura/v16";
import { describe, expect, test } from "vitest";
import {
  type InvalidAnswers,
  type LibraryAnswers,
  type MetricsAnswers,
  readExpected,
  resolveMarkers,
} from "../../fixtures/expected.ts";
import { layOutStates, type StateSet } from "../../fixtures/lay_out.ts";
import { fixture } from "../../fixtures/paths.ts";
import { asDocumented } from "../as_documented.ts";
import { LINES } from "./both_lines.ts";
import { freshFolder } from "../fresh_folder.ts";

const names = (folder: string): string[] =>
  readdirSync(fixture(folder))
    .filter((name) => name.endsWith(".expected.json"))
    .map((name) => basename(name, ".expected.json"));

/** Copies a fixture with its side files: opening a write-ahead log in place would leave files next to it. */
function copyOf(folder: string, name: string): string {
  const directory = freshFolder();
  for (const file of readdirSync(fixture(folder)).filter((each) => each.startsWith(`${name}.`))) {
    cpSync(fixture(folder, file), join(directory, file));
  }
  return join(directory, name);
}

/** The members that are not null. */
const present = (object: object): object =>
  Object.fromEntries(Object.entries(object).filter(([, member]) => member !== null));

/** Text that shows `-0` and raw numbers; the order of members does not matter. */
const shown = (value: unknown): string =>
  JSON.stringify(value, (_key, member: unknown) => {
    if (Object.is(member, -0)) return "-0";
    const plain = typeof member === "object" && member !== null && Object.getPrototypeOf(member) === Object.prototype;
    return plain
      ? Object.fromEntries(Object.entries(member).toSorted(([left], [right]) => (left < right ? -1 : 1)))
      : member;
  });

describe.for(LINES)("the fixture libraries in $name", ({ line }) => {
  const { PatternPersistence } = line;

  test.for(names("libraries"))("%s", (name) => {
    const answers = readExpected("libraries", `${name}.expected.json`) as LibraryAnswers;
    const path = copyOf("libraries", name);
    const variants = [
      { file: `${path}.json`, load: PatternPersistence.loadFromJson, contributions: answers.agent_contributions.json },
      {
        file: `${path}.db`,
        load: PatternPersistence.loadFromSqlite,
        contributions: answers.agent_contributions.sqlite,
      },
    ].filter(({ file }) => existsSync(file));
    expect(variants.length).toBeGreaterThan(0);
    for (const { file, load, contributions } of variants) {
      const library = load(file);
      expect(shown([...library.patterns.values()])).toBe(shown(answers.patterns));
      expect([...library.agentContributions]).toEqual(contributions);
    }
  });

  test.for(
    names("libraries").filter((name) => existsSync(fixture("libraries", `${name}.json`)) && name !== "lone-surrogates"),
  )("%s: JSON to SQLite to JSON changes no value and no digit of a timestamp", (name) => {
    const directory = freshFolder();
    const [database, copy] = [join(directory, "x.db"), join(directory, "x.json")];
    const library = PatternPersistence.loadFromJson(fixture("libraries", `${name}.json`));
    PatternPersistence.saveToSqlite(library, database);
    PatternPersistence.saveToJson(PatternPersistence.loadFromSqlite(database), copy);
    expect(shown([...PatternPersistence.loadFromJson(copy).patterns.values()])).toBe(
      shown(Array.from(library.patterns.values(), asDocumented)),
    );
  });

  test("lone surrogates in a name survive in JSON and are refused by SQLite", () => {
    const directory = freshFolder();
    const library = PatternPersistence.loadFromJson(fixture("libraries", "lone-surrogates.json"));
    PatternPersistence.saveToJson(library, join(directory, "x.json"));
    expect(shown([...PatternPersistence.loadFromJson(join(directory, "x.json")).patterns.values()])).toBe(
      shown([...library.patterns.values()]),
    );
    expect(() => PatternPersistence.saveToSqlite(library, join(directory, "x.db"))).toThrow(/lone surrogate/);
    expect(readdirSync(directory)).toEqual(["x.json"]);
  });

  const ERROR_NAMES = {
    invalid_json: "JSONDecodeError",
    rejected: "ValidationError",
    unsupported_format: "UnsupportedFormatError",
    corrupt: "CorruptDataError",
  };

  test.for(Object.entries(readExpected("invalid", "expected.json") as InvalidAnswers))(
    "refuses invalid/%s",
    ([file, answer]) => {
      const path = join(copyOf("invalid", basename(file).replace(/\.[^.]*$/, "")), "..", file);
      const load = file.endsWith(".db") ? PatternPersistence.loadFromSqlite : PatternPersistence.loadFromJson;
      const place = {
        ...(answer.line && { line: answer.line, column: answer.column }),
        ...(answer.error === "rejected" && { pointer: answer.pointer }),
      };
      expect(() => load(path)).toThrow(expect.objectContaining({ name: ERROR_NAMES[answer.error], path, ...place }));
    },
  );
});

describe("the fixture metrics", () => {
  test.for(names("metrics"))("%s", (name) => {
    const answers = readExpected("metrics", `${name}.expected.json`) as MetricsAnswers;
    const Collector = answers.level_column === "level" ? v16.MetricsCollector : v15.MetricsCollector;
    using collector = new Collector(`${copyOf("metrics", name)}.db`);
    expect(collector.getAllUsers()).toEqual(answers.all_users);
    expect(collector.getGlobalStats()).toEqual(answers.global_statistics);
    for (const { user_id: user, statistics } of answers.user_statistics) {
      const { avg_response_time_ms: mean, ...rest } = collector.getUserStats(user);
      const { avg_response_time_ms: expected, ...others } = statistics;
      expect(rest).toEqual(others);
      expect(mean).toBeCloseTo(expected as number, 9);
    }
    expect(collector.getUserStats("unknown user")).toEqual(answers.unknown_user);
  });
});

describe("the fixture states", () => {
  test.for(["documented", "field", "broken"] satisfies StateSet[])("%s", (set) => {
    const directory = freshFolder();
    const entries = layOutStates(set, directory);
    const manager = new StateManager(directory);
    const files = entries.filter(
      ({ expected }) =>
        expected.user_id !== undefined && expected.status !== "no_state_file" && expected.status !== "directory",
    );
    expect(new Set(manager.listUsers())).toEqual(new Set(files.map(({ expected }) => expected.user_id)));
    for (const { name, expected } of files) {
      const load = () => manager.loadState(expected.user_id as string);
      if (expected.status !== "state")
        expect(load, name).toThrow(expect.objectContaining({ name: "CorruptDataError" }));
      else
        expect(shown(load()), name).toBe(
          shown({
            ...present(resolveMarkers(expected.fields) as object),
            ...(resolveMarkers(expected.value) as object),
            user_id: expected.user_id,
          }),
        );
    }
  });
});
