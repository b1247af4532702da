import { existsSync } from "node:fs";
import { join } from "node:path";
import { StateManager } from "@perdura/v15";
import { PatternPersistence, type PatternLibrary } from "@perdura/v16";
import Database from "better-sqlite3";
import { libraryOf, versionOf } from "../operations/library_operations.ts";
import { mustBe } from "../operations/operation.ts";
import * as v16 from "@perdura/v16";
import { countOf, type Writer } from "./writer.ts";

const loadDatabase = (path: string): PatternLibrary => {
  const database = new Database(path);
  try {
    mustBe(database.pragma("integrity_check", { simple: true }), "ok", "integrity_check");
  } finally {
    database.close();
  }
  return PatternPersistence.loadFromSqlite(path);
};

interface Format {
  name: string;
  file: string;
  save: (library: PatternLibrary, path: string) => void;
  load: (path: string) => PatternLibrary;
}

const FORMATS: readonly Format[] = [
  {
    name: "JSON",
    file: "json",
    save: (library, path) => PatternPersistence.saveToJson(library, path),
    load: (path) => PatternPersistence.loadFromJson(path),
  },
  {
    name: "SQLite, merging",
    file: "db",
    save: (library, path) => void PatternPersistence.saveToSqlite(library, path),
    load: loadDatabase,
  },
  {
    name: "SQLite, replacing",
    file: "db",
    save: (library, path) => void PatternPersistence.saveToSqlite(library, path, { mode: "replace" }),
    load: loadDatabase,
  },
];

const over = ({ name, file, save, load }: Format): Writer => ({
  row: `save a library as ${name}`,
  process: "16",
  layOut: (directory) => save(libraryOf(v16, 0), join(directory, `library.${file}`)),
  open: (directory) => (turn) => save(libraryOf(v16, turn), join(directory, `library.${file}`)),
  writesIn: (directory) => versionOf(load(join(directory, `library.${file}`))),
});

/** Maximum number of new files in one trial: the disk is small. */
const MOST_FILES = 300;

/** Writes a new file each time, whose name must be durable as well. */
const fresh = ({ name, file, save, load }: Format): Writer => {
  const path = (directory: string, turn: number): string => join(directory, `library-${turn}.${file}`);
  return {
    row: `save new libraries as ${name}`,
    process: "16",
    layOut: () => undefined,
    open: (directory) => (turn) => {
      if (turn > MOST_FILES) return false;
      return void save(libraryOf(v16, turn % 7), path(directory, turn));
    },
    writesIn: (directory) =>
      countOf((turn) => {
        if (!existsSync(path(directory, turn))) return false;
        mustBe(versionOf(load(path(directory, turn))), turn % 7, `the version in library-${turn}.${file}`);
        return true;
      }),
  };
};

const stateOf = (user_id: string, version: number): object => ({
  user_id,
  trust_level: 0.5,
  interaction_count: version,
  notes: Array.from({ length: 200 }, (_, index) => `${version}: ${index}`),
});
const states = (directory: string): StateManager => new StateManager(join(directory, "state"));
const saveState = (directory: string, user: string, version: number): void =>
  states(directory).saveState(user, stateOf(user, version) as never);

/** Version of a complete state; 0 if there is no state. */
function versionOfState(directory: string, user: string): number {
  const state = states(directory).loadState(user);
  if (state === null) return 0;
  const version = state.interaction_count as number;
  mustBe(state["notes"], (stateOf(user, version) as { notes: unknown }).notes, "the notes of the state");
  return version;
}

/** Libraries and states. */
export const LIBRARY_WRITERS: readonly Writer[] = [
  ...FORMATS.map(over),
  ...FORMATS.slice(0, 2).map(fresh),
  {
    row: "save a state",
    process: "15",
    layOut: () => undefined,
    open: (directory) => (turn) => saveState(directory, "ada", turn),
    writesIn: (directory) => versionOfState(directory, "ada"),
  },
  {
    row: "save first states",
    process: "15",
    layOut: () => undefined,
    open: (directory) => (turn) => saveState(directory, `user-${turn}`, turn),
    writesIn: (directory) =>
      countOf((turn) => {
        const version = versionOfState(directory, `user-${turn}`);
        if (version !== 0) mustBe(version, turn, `the version of user-${turn}`);
        return version !== 0;
      }),
  },
  {
    row: "delete states",
    process: "15",
    layOut: (directory) => {
      for (let user = 1; user <= 300; user += 1) saveState(directory, `user-${user}`, user);
    },
    open: (directory) => (turn) => (turn > 300 ? false : states(directory).deleteState(`user-${turn}`)),
    writesIn: (directory) => countOf((turn) => turn <= 300 && versionOfState(directory, `user-${turn}`) === 0),
  },
];
