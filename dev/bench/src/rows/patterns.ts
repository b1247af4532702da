import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { PATTERN_FIELDS } from "@perdura/internals/validity/pattern_fields.js";
import { type PatternLibrary, PatternPersistence } from "@perdura/v16";
import Database from "better-sqlite3";
import { bufferedWriter, typicalLibrary, writeTypicalFile } from "../library/data.ts";
import { programSide } from "../library/programs.ts";
import type { Place, Row } from "../row.ts";

/** Enough to check that everything works. */
const SMALL = 10_000;

/** A million patterns are a file of a gigabyte. */
const MOST = 1_000_000;

/** Smaller files would measure opening and syncing rather than the content. */
const GOAL_FROM = 100_000;

const once = (work: () => unknown) => (): number => {
  work();
  return 1;
};

/** Without checks, without the document around the patterns, and without a sync. */
function streamedStringify(library: PatternLibrary, path: string, atEnd?: (descriptor: number) => void): void {
  const descriptor = openSync(path, "w");
  const write = bufferedWriter(descriptor);
  for (const pattern of library.patterns.values()) write.text(JSON.stringify(pattern, null, 2));
  write.end();
  atEnd?.(descriptor);
  closeSync(descriptor);
}

/** The same, but the file replaces the former one as a whole, and is on the disk at the end. */
function durableStringify(library: PatternLibrary, path: string): void {
  streamedStringify(library, `${path}.tmp`, fsyncSync);
  renameSync(`${path}.tmp`, path);
  const directory = openSync(dirname(path), "r");
  fsyncSync(directory);
  closeSync(directory);
}

/** Saves a library as JSON, compared with a way to write its patterns. */
const savingJson = (write: (library: PatternLibrary, path: string) => void): Row["sides"] => ({
  ours: ({ directory, rows }) => {
    const library = typicalLibrary(rows);
    const path = join(directory, "perdura.json");
    return { name: "perdura", round: once(() => PatternPersistence.saveToJson(library, path)) };
  },
  peer: ({ directory, rows }) => {
    const library = typicalLibrary(rows);
    return { name: "JSON.stringify", round: once(() => write(library, join(directory, "peer.json"))) };
  },
});

/** One transaction of prepared inserts into a table without any index. */
function bareInserts(library: PatternLibrary, path: string): void {
  rmSync(path, { force: true });
  const database = new Database(path);
  database.exec(
    `CREATE TABLE patterns (id TEXT PRIMARY KEY, ${PATTERN_FIELDS.slice(1).join(", ")}, updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP)`,
  );
  const insert = database.prepare(
    `INSERT INTO patterns (${PATTERN_FIELDS.join(", ")}) VALUES (${PATTERN_FIELDS.map(() => "?").join(", ")})`,
  );
  database.transaction(() => {
    for (const pattern of library.patterns.values()) {
      insert.run(
        PATTERN_FIELDS.map((column) =>
          column === "context" || column === "tags" ? JSON.stringify(pattern[column]) : pattern[column],
        ),
      );
    }
  })();
  database.close();
}

function bareSelect(path: string): unknown[] {
  const database = new Database(path, { readonly: true });
  const rows = database.prepare("SELECT * FROM patterns").all() as { context: string; tags: string }[];
  database.close();
  return rows.map((row) => ({
    ...row,
    context: JSON.parse(row.context) as unknown,
    tags: JSON.parse(row.tags) as unknown,
  }));
}

const fileIn = (directory: string): string => join(directory, "library.json");

const databaseIn = (directory: string): string => join(directory, "library.db");

const makeFile = ({ directory, rows }: Place): void => writeTypicalFile(fileIn(directory), rows);

/** The original product: Python's json module, and an object for each pattern. */
const original = (task: "load" | "save", peer: string): Row => ({
  name: `${task}-library-original`,
  what: `${task} a pattern library as JSON, each time in a new process, without its start`,
  peer,
  rounds: 3,
  atMost: 1 / 2.5,
  // In a short run most code is not optimized yet.
  goalFrom: 10 * GOAL_FROM,
  rows: SMALL,
  mostRows: MOST,
  needs: "python3",
  data: makeFile,
  sides: {
    ours: ({ directory }) => programSide("perdura", task, fileIn(directory), join(directory, "perdura.json")),
    peer: ({ directory }) => programSide("Python 3", task, fileIn(directory), join(directory, "python.json")),
  },
});

/**
 * Pattern libraries as files and databases. The peers check nothing; all but that of `save-json-durable` sync nothing, and
 * may leave a file half-written.
 */
export const PATTERN_ROWS: Row[] = [
  {
    name: "save-json",
    chart: "Save a pattern library as JSON, by its patterns",
    what: "save patterns as JSON, atomic and synced",
    peer: "JSON.stringify with indent 2 of each pattern, through a buffer",
    rounds: 21,
    atMost: 1.2,
    goalFrom: GOAL_FROM,
    rows: SMALL,
    mostRows: MOST,
    sides: savingJson(streamedStringify),
  },
  {
    name: "save-json-durable",
    what: "save patterns as JSON, atomic and synced",
    peer: "the same through a buffer into a new file, which is synced and renamed",
    rounds: 21,
    atMost: 1.1,
    rows: SMALL,
    mostRows: MOST,
    sides: savingJson(durableStringify),
  },
  {
    name: "load-json",
    chart: "Load a pattern library from JSON, by its patterns",
    what: "load patterns from JSON, checked",
    peer: "readFileSync and JSON.parse",
    rounds: 11,
    atMost: 1.3,
    goalFrom: GOAL_FROM,
    rows: SMALL,
    mostRows: MOST,
    data: makeFile,
    sides: {
      ours: ({ directory }) => ({
        name: "perdura",
        round: once(() => PatternPersistence.loadFromJson(fileIn(directory))),
      }),
      peer: ({ directory }) => ({
        name: "JSON.parse",
        round: once(() => JSON.parse(readFileSync(fileIn(directory), "utf8")) as unknown),
      }),
    },
  },
  {
    name: "save-sqlite",
    chart: "Save a pattern library into SQLite, by its patterns",
    what: "save patterns into a new database with its indexes",
    peer: "bare prepared inserts in one transaction, no indexes",
    rounds: 11,
    rows: SMALL,
    mostRows: MOST,
    sides: {
      ours: ({ directory, rows }) => {
        const library = typicalLibrary(rows);
        const path = join(directory, "perdura.db");
        const save = (): void => {
          rmSync(path, { force: true });
          PatternPersistence.saveToSqlite(library, path);
        };
        return { name: "perdura", round: once(save) };
      },
      peer: ({ directory, rows }) => {
        const library = typicalLibrary(rows);
        return { name: "bare inserts", round: once(() => bareInserts(library, join(directory, "peer.db"))) };
      },
    },
  },
  {
    name: "load-sqlite",
    chart: "Load a pattern library from SQLite, by its patterns",
    what: "load patterns from SQLite, checked",
    peer: "one bare select and JSON.parse of two columns",
    rounds: 11,
    rows: SMALL,
    mostRows: MOST,
    data: ({ directory, rows }) => void PatternPersistence.saveToSqlite(typicalLibrary(rows), databaseIn(directory)),
    sides: {
      ours: ({ directory }) => ({
        name: "perdura",
        round: once(() => PatternPersistence.loadFromSqlite(databaseIn(directory))),
      }),
      peer: ({ directory }) => ({ name: "bare select", round: once(() => bareSelect(databaseIn(directory))) }),
    },
  },
  original("load", "Python's json.load and a dataclass for each pattern, as the original product"),
  original("save", "Python's json.dump with indent 2, as the original product"),
];
