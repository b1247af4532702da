import { join } from "node:path";
import { MetricsCollector } from "@perdura/v16";
import { BareDriver } from "../peers/bare_driver.ts";
import { bunSqlite } from "../peers/bun_sqlite.ts";
import { ConnectionPerCall } from "../peers/connection_per_call.ts";
import { libsql } from "../peers/libsql.ts";
import { NodeSqlite } from "../peers/node_sqlite.ts";
import { originalInPython } from "../peers/original_in_python.ts";
import type { Row } from "../row.ts";
import type { Side } from "../measure/measure.ts";
import {
  type Durability,
  perduraAt,
  perduraRecorder,
  type Recorder,
  recording,
  ROWS_A_ROUND,
  SYNCHRONOUS,
} from "./recorders.ts";

const what = (durability: Durability): string => `record one row, durability ${durability}`;

function againstDrivers(durability: Durability): Row[] {
  const [rows, synchronous] = [ROWS_A_ROUND[durability], SYNCHRONOUS[durability]];
  const row = { what: what(durability), rounds: 15 };
  const ours = perduraAt(durability, rows);
  return [
    {
      ...row,
      name: `record-${durability}-bare`,
      peer: "the bare driver's prepared insert, same durability",
      atMost: 1.15,
      sides: {
        ours,
        peer: ({ directory }) =>
          recording("bare driver", new BareDriver(join(directory, "bare.db"), synchronous), rows),
      },
    },
    {
      ...row,
      name: `record-${durability}-node-sqlite`,
      peer: "a prepared insert of node:sqlite, same durability",
      sides: {
        ours,
        peer: ({ directory }) =>
          recording("node:sqlite", new NodeSqlite(join(directory, "node.db"), synchronous), rows),
      },
    },
    {
      ...row,
      name: `record-${durability}-libsql`,
      peer: "a prepared insert of libsql, same durability",
      needs: "libsql",
      sides: {
        ours,
        peer: ({ directory }) =>
          recording("libsql", new BareDriver(join(directory, "libsql.db"), synchronous, libsql()), rows),
      },
    },
    {
      ...row,
      name: `record-${durability}-bun`,
      peer: "a prepared insert of bun:sqlite in Bun, same durability",
      needs: "bun",
      sides: { ours, peer: ({ directory }) => bunSqlite(join(directory, "bun.db"), synchronous, rows) },
    },
  ];
}

/** `recordMetric` of 16 has no level: it is that of the user's newest row. */
const AT_CURRENT_LEVEL: Row = {
  name: "record-normal-metric",
  what: "record one row at the current level of its user, durability normal",
  peer: "the bare driver's prepared insert with a given level, same durability",
  rounds: 15,
  atMost: 1.3,
  sides: {
    ours: ({ directory }) => {
      const collector = new MetricsCollector(join(directory, "perdura.db"), { durability: "normal" });
      const record: Recorder["record"] = (userId, _, success, time) => collector.recordMetric(userId, success, time);
      return recording("perdura", { record, close: () => collector.close() }, ROWS_A_ROUND.normal);
    },
    peer: ({ directory }) =>
      recording("bare driver", new BareDriver(join(directory, "bare.db"), SYNCHRONOUS.normal), ROWS_A_ROUND.normal),
  },
};

/** The peer is so slow that a tenth of the rows is enough. */
const ROWS_OF_ORIGINAL = 200;

/**
 * With durability full both sides wait for the disk. Otherwise only the peer waits: the ratio then says how slow the disk
 * is, and has no goal.
 */
function againstOriginal(durability: Durability): Row[] {
  const row = { what: what(durability), rounds: 7, ...(durability === "full" ? { atMost: 1 / 5 } : {}) };
  const ours = perduraAt(durability, 10 * ROWS_OF_ORIGINAL);
  return [
    { ...row, name: `record-${durability}-original`, peer: ORIGINAL, sides: { ours, peer: original } },
    {
      ...row,
      name: `record-${durability}-python`,
      peer: "the same in Python 3, the language of the original product",
      needs: "python3",
      sides: {
        ours,
        peer: ({ directory }) =>
          originalInPython(join(directory, "python.db"), { do: "record", rows: ROWS_OF_ORIGINAL }),
      },
    },
  ];
}

const ORIGINAL = "a connection per call with a rollback journal, as the original product";

function original({ directory }: { directory: string }): Side {
  return recording("connection per call", new ConnectionPerCall(join(directory, "original.db")), ROWS_OF_ORIGINAL);
}

/** Concurrent callers, each of which waits until its row is durable before it records the next. */
const CALLERS = 64;

function together(directory: string, rows: number): Side {
  const collector = new MetricsCollector(join(directory, "perdura.db"));
  const writer = collector.writer();
  const caller = async (user: number): Promise<void> => {
    for (let row = user; row < rows; row += CALLERS)
      await writer.recordInteraction(`user-${row % 50}`, 1 + (row % 5), row % 3 !== 0, row);
  };
  const round = async (): Promise<number> => {
    await Promise.all(Array.from({ length: CALLERS }, (_, user) => caller(user)));
    return rows;
  };
  return { name: "perdura", round, close: () => collector.close() };
}

const TOGETHER: Row = {
  name: "record-together-original",
  what: `record one row, durability full, ${CALLERS} concurrent callers of writer()`,
  peer: ORIGINAL,
  rounds: 7,
  sides: { ours: ({ directory }) => together(directory, 64_000), peer: original },
};

/** Number of connections of a round, each of which records one row. */
const CONNECTIONS = 50;

function oncePerConnection(name: string, open: () => Recorder): Side {
  return recording(name, { record: (...values) => recordOnce(open(), values) }, CONNECTIONS);
}

function recordOnce(recorder: Recorder, values: Parameters<Recorder["record"]>): void {
  recorder.record(...values);
  recorder.close?.();
}

/** A program that records one row and ends. The file and its tables exist already. */
const ONCE: Row = {
  name: "record-once-bare",
  what: "open a database, record one row with durability full, and close it",
  peer: "the bare driver: open with the same settings, prepare and run one insert, close",
  rounds: 15,
  atMost: 1.3,
  sides: {
    ours: ({ directory }) => {
      const path = join(directory, "perdura.db");
      return oncePerConnection("perdura", () => perduraRecorder(path, "full"));
    },
    peer: ({ directory }) => {
      const path = join(directory, "bare.db");
      new MetricsCollector(path).close();
      return oncePerConnection("bare driver", () => BareDriver.ofFile(path));
    },
  },
};

/** Recording row by row: the goals are 1.15 times the bare driver (1.3 with opening and closing), and 5, 30 and 80 times the rate of the original's way. */
export const RECORDING: Row[] = [
  ...againstDrivers("full"),
  ...againstDrivers("normal"),
  AT_CURRENT_LEVEL,
  ...againstOriginal("full"),
  ...againstOriginal("normal"),
  TOGETHER,
  ONCE,
];
