import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type InteractionRecord, MetricsCollector } from "@perdura/v16";
import { BareDriver, SCHEMA } from "../peers/bare_driver.ts";
import { SqliteShell } from "../peers/sqlite_shell.ts";
import type { Place, Row } from "../row.ts";
import type { Side } from "../measure/measure.ts";

/** Generates rows one at a time, like a program. */
export function* records(rows: number): Generator<InteractionRecord> {
  for (let row = 0; row < rows; row += 1)
    yield { user_id: `user-${row % 50}`, level: 1 + (row % 5), success: row % 3 !== 0, response_time_ms: row };
}

function removeDatabase(path: string): void {
  for (const name of [path, `${path}-wal`, `${path}-shm`]) rmSync(name, { force: true });
}

/** Records many rows into a new database each round. */
function intoNew(
  name: string,
  path: string,
  rows: number,
  open: (path: string) => { recordMany(records: Iterable<InteractionRecord>): unknown; close(): void },
): Side {
  let opened: ReturnType<typeof open> | undefined;
  const prepare = (): void => {
    opened?.close();
    removeDatabase(path);
    opened = open(path);
  };
  const round = (): number => {
    opened?.recordMany(records(rows));
    return rows;
  };
  return { name, prepare, round, close: () => opened?.close() };
}

const ours = ({ directory, rows }: Place): Side =>
  intoNew("perdura", join(directory, "perdura.db"), rows, (path) => new MetricsCollector(path));

/** The same rows as text, with their ids and one timestamp. */
export function csvFile({ shared, rows }: Place): string {
  const path = join(shared, `records-${rows}.csv`);
  if (existsSync(path)) return path;
  const piece: string[] = [];
  writeFileSync(path, "");
  let id = 0;
  for (const { user_id, level, success, response_time_ms } of records(rows)) {
    id += 1;
    piece.push(`${id},${user_id},${level},${success ? 1 : 0},${response_time_ms},2025-01-01 00:00:00\n`);
    if (piece.length < 10_000 && id < rows) continue;
    writeFileSync(path, piece.splice(0).join(""), { flag: "a" });
  }
  return path;
}

/** The shell has no metadata to check and no objects to read: it imports text from a file. */
function byShell(place: Place): Side {
  const path = join(place.directory, "shell.db");
  const csv = csvFile(place);
  const shell = new SqliteShell(":memory:");
  return {
    ...shell.side(async () => {
      await shell.run(`.import --csv "${csv}" interactions`);
      return place.rows;
    }),
    prepare: async () => {
      await shell.run(".open :memory:");
      removeDatabase(path);
      await shell.run(`.open "${path}"\nPRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; ${SCHEMA};`);
    },
  };
}

const row = {
  what: "record many rows in one transaction, durability full, per row",
  rounds: 7,
  rows: 100_000,
  chart: "Record many rows in one transaction, per row",
};

/** Recording many rows at once. */
export const RECORD_MANY: Row[] = [
  {
    ...row,
    name: "record-many-bare",
    peer: "the bare driver's prepared insert in one transaction",
    atMost: 1,
    goalFrom: 100_000,
    sides: {
      ours,
      peer: ({ directory, rows }) =>
        intoNew("bare driver", join(directory, "bare.db"), rows, (path) => new BareDriver(path, "FULL")),
    },
  },
  {
    ...row,
    name: "record-many-shell",
    peer: "the sqlite3 shell's .import of a CSV file",
    needs: "sqlite3",
    data: (place) => void csvFile(place),
    sides: { ours, peer: byShell },
  },
];
