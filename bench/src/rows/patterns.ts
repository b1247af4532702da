import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PATTERN_FIELDS } from "@perdura/internals/patterns/pattern.js";
import { PatternLibrary, PatternPersistence } from "@perdura/v16";
import Database from "better-sqlite3";
import type { Row } from "../row.ts";

const PATTERNS = 10_000;

/** A library of the size and look of a real one: about 850 bytes of JSON a pattern. */
function typicalLibrary(): PatternLibrary {
  const library = new PatternLibrary();
  for (let index = 0; index < PATTERNS; index += 1) {
    library.contribute(`agent-${index % 12}`, {
      id: `pat_${index}`,
      pattern_type: ["sequential", "temporal", "conditional"][index % 3] as string,
      name: `Add error handling ${index}`,
      description: "Suggest error handling for API calls that reach the network and may fail half-way",
      context: { task: "api_call", hour: index % 24, ratio: index / 7, nested: { list: [1, 2, 3], flag: true } },
      code: "def f():\n    try:\n        return call()\n    except Error:\n        return None\n".repeat(2),
      confidence: 1 / (1 + (index % 9)),
      tags: ["error-handling", "api", `t${index % 40}`],
      discovered_at: "2025-01-15T10:30:00.123456",
    });
  }
  return library;
}

const what = (action: string): string => `${action} ${PATTERNS.toLocaleString("en")} patterns`;

const once = (work: () => unknown) => (): number => {
  work();
  return 1;
};

const documentOf = (library: PatternLibrary): unknown => ({
  patterns: [...library.patterns.values()],
  agent_contributions: Object.fromEntries(library.agentContributions),
  metadata: {},
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

/** Pattern libraries as files and databases. The peers check nothing, sync nothing and may leave a file half-written. */
export const PATTERN_ROWS: Row[] = [
  {
    name: "save-json",
    what: `${what("save")} as JSON, atomic and synced`,
    peer: "JSON.stringify with indent 2 and writeFileSync",
    rounds: 11,
    sides: {
      ours: ({ directory }) => {
        const library = typicalLibrary();
        return {
          name: "perdura",
          round: once(() => PatternPersistence.saveToJson(library, join(directory, "perdura.json"))),
        };
      },
      peer: ({ directory }) => {
        const library = typicalLibrary();
        return {
          name: "JSON.stringify",
          round: once(() => writeFileSync(join(directory, "peer.json"), JSON.stringify(documentOf(library), null, 2))),
        };
      },
    },
  },
  {
    name: "load-json",
    what: `${what("load")} from JSON, checked`,
    peer: "readFileSync and JSON.parse",
    rounds: 11,
    data: ({ directory }) => PatternPersistence.saveToJson(typicalLibrary(), join(directory, "library.json")),
    sides: {
      ours: ({ directory }) => ({
        name: "perdura",
        round: once(() => PatternPersistence.loadFromJson(join(directory, "library.json"))),
      }),
      peer: ({ directory }) => ({
        name: "JSON.parse",
        round: once(() => JSON.parse(readFileSync(join(directory, "library.json"), "utf8")) as unknown),
      }),
    },
  },
  {
    name: "save-sqlite",
    what: `${what("save")} into a new database with its indexes`,
    peer: "bare prepared inserts in one transaction, no indexes",
    rounds: 11,
    sides: {
      ours: ({ directory }) => {
        const library = typicalLibrary();
        const path = join(directory, "perdura.db");
        const save = (): void => {
          rmSync(path, { force: true });
          PatternPersistence.saveToSqlite(library, path);
        };
        return { name: "perdura", round: once(save) };
      },
      peer: ({ directory }) => {
        const library = typicalLibrary();
        return { name: "bare inserts", round: once(() => bareInserts(library, join(directory, "peer.db"))) };
      },
    },
  },
  {
    name: "load-sqlite",
    what: `${what("load")} from SQLite, checked`,
    peer: "one bare select and JSON.parse of two columns",
    rounds: 11,
    data: ({ directory }) => PatternPersistence.saveToSqlite(typicalLibrary(), join(directory, "library.db")),
    sides: {
      ours: ({ directory }) => ({
        name: "perdura",
        round: once(() => PatternPersistence.loadFromSqlite(join(directory, "library.db"))),
      }),
      peer: ({ directory }) => ({
        name: "bare select",
        round: once(() => bareSelect(join(directory, "library.db"))),
      }),
    },
  },
];
