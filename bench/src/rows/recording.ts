import { join } from "node:path";
import { MetricsCollector } from "@perdura/v16";
import type { Side } from "../measure.ts";
import { BareDriver } from "../peers/bare_driver.ts";
import { ConnectionPerCall } from "../peers/connection_per_call.ts";
import type { Row } from "../row.ts";

type Recorder = (userId: string, level: number, success: boolean, responseTimeMs: number) => unknown;

function recording(name: string, record: Recorder, rows: number, close: () => void = () => undefined): Side {
  const round = (): number => {
    for (let row = 0; row < rows; row += 1) record(`user-${row % 50}`, 1 + (row % 5), row % 3 !== 0, row);
    return rows;
  };
  return { name, round, close };
}

function perdura(directory: string, durability: "full" | "normal", rows: number): Side {
  const collector = new MetricsCollector(join(directory, "perdura.db"), { durability });
  return recording("perdura", collector.recordInteraction.bind(collector), rows, () => collector.close());
}

function againstBareDriver(durability: "full" | "normal", rows: number): Row {
  return {
    name: `record-${durability}-bare`,
    what: `record one row, durability ${durability}`,
    peer: "the bare driver's prepared insert, same durability",
    rounds: 15,
    atMost: 1.15,
    sides: (directory) => {
      const bare = new BareDriver(join(directory, "bare.db"), durability === "full" ? "FULL" : "NORMAL");
      return {
        ours: perdura(directory, durability, rows),
        peer: recording("bare driver", bare.record.bind(bare), rows, () => bare.close()),
      };
    },
  };
}

function againstConnectionPerCall(durability: "full" | "normal", atMost: number): Row {
  return {
    name: `record-${durability}-original`,
    what: `record one row, durability ${durability}`,
    peer: "a connection per call with a rollback journal, as the original product",
    rounds: 7,
    atMost,
    sides: (directory) => {
      const original = new ConnectionPerCall(join(directory, "original.db"));
      return {
        ours: perdura(directory, durability, 2000),
        peer: recording("connection per call", original.record.bind(original), 200),
      };
    },
  };
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
  peer: "a connection per call with a rollback journal, as the original product",
  rounds: 7,
  atMost: 1 / 80,
  sides: (directory) => {
    const original = new ConnectionPerCall(join(directory, "original.db"));
    return { ours: together(directory, 64_000), peer: recording("original", original.record.bind(original), 200) };
  },
};

/** Recording: the goals are 1.15 times the bare driver, and 5, 30 and 80 times the rate of the original's way. */
export const RECORDING: Row[] = [
  againstBareDriver("full", 1000),
  againstBareDriver("normal", 5000),
  againstConnectionPerCall("full", 1 / 5),
  againstConnectionPerCall("normal", 1 / 30),
  TOGETHER,
];
