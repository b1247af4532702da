import { once } from "node:events";
import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { MetricsCollector } from "@perdura/v16";
import Database from "better-sqlite3";
import { dataFile, type DataSet, typicalUsers } from "../data/interactions.ts";
import type { Side, Timed } from "../measure/measure.ts";
import { SHARED } from "../measure/recording_thread.ts";
import type { Place, Row } from "../row.ts";

/** A round works on a new copy of the data. */
function onCopies(
  place: Place,
  name: string,
  set: DataSet,
  round: (path: string) => number | Timed | Promise<Timed>,
): Side {
  const path = join(place.directory, `${name.replaceAll(" ", "-")}.db`);
  const remove = (): void => {
    for (const end of ["", "-wal", "-shm"]) rmSync(path + end, { force: true });
  };
  return {
    name,
    prepare: () => {
      remove();
      copyFileSync(dataFile(place.shared, set), path);
    },
    round: () => round(path),
    close: remove,
  };
}

/** Each user but one has a hundredth of the rows. */
const hundredths = ({ rows }: Place, layout: "perdura" | "plain"): DataSet => ({ layout, rows, users: 95 });

const FORGET_USER: Row = {
  name: "forget-user",
  what: "forget a user with a hundredth of the rows, and compute the sums again, per deleted row",
  peer: "the bare driver's DELETE of the same rows in one transaction, into a database without sums",
  rounds: 5,
  rows: 1_000_000,
  data: (place) =>
    (["perdura", "plain"] as const).forEach((layout) => dataFile(place.shared, hundredths(place, layout))),
  sides: {
    ours: (place) =>
      onCopies(place, "perdura", hundredths(place, "perdura"), (path) => {
        const collector = new MetricsCollector(path);
        const { interactions } = collector.forgetUser("user-0");
        collector.close();
        return interactions;
      }),
    peer: (place) =>
      onCopies(place, "bare driver", hundredths(place, "plain"), (path) => {
        const database = new Database(path);
        database.pragma("foreign_keys = ON");
        const { changes } = database.prepare("DELETE FROM interactions WHERE user_id = 'user-0'").run();
        database.close();
        return changes;
      }),
  },
};

/** Half of the time that the data span. */
const HALF = new Date(1_605_000_000_000);

/** The longest wait of a program that records while another one deletes. */
async function longestWait(path: string, work: (collector: MetricsCollector) => unknown): Promise<Timed> {
  const shared = new Int32Array(new SharedArrayBuffer(12));
  const collector = new MetricsCollector(path);
  const writer = new Worker(new URL("../measure/recording_thread.ts", import.meta.url), {
    workerData: { path, shared },
  });
  const isGone = once(writer, "exit");
  await once(writer, "online");
  Atomics.wait(shared, SHARED.isRecording, 0);
  try {
    work(collector);
  } finally {
    Atomics.store(shared, SHARED.isOver, 1);
    collector.close();
  }
  await isGone;
  return { milliseconds: Atomics.load(shared, SHARED.longestUs) / 1000 };
}

/** Goal for the longest wait, in milliseconds. */
const MOST_MS = 100;

const DELETE_BEFORE: Row = {
  name: "delete-before",
  what: "delete half of the rows: the longest wait of another program that records meanwhile",
  peer: `a wait of ${MOST_MS} ms`,
  rounds: 3,
  rows: 1_000_000,
  atMost: 1,
  data: ({ shared, rows }) => void dataFile(shared, { layout: "perdura", rows, users: typicalUsers(rows) }),
  sides: {
    ours: (place) =>
      onCopies(place, "perdura", { layout: "perdura", rows: place.rows, users: typicalUsers(place.rows) }, (path) =>
        longestWait(path, (collector) => collector.deleteBefore(HALF)),
      ),
    peer: () => ({ name: `${MOST_MS} ms`, round: () => ({ milliseconds: MOST_MS }) }),
  },
};

/** Deletions with their sums. */
export const DELETION: Row[] = [FORGET_USER, DELETE_BEFORE];
