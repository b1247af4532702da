import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { MetricsCollector } from "@perdura/v16";
import { dataFile } from "../data/interactions.ts";
import type { Place, Row } from "../row.ts";
import type { Side } from "../measure/measure.ts";
import { records } from "./record_many.ts";
import { type Durability, perdura, ROWS_A_ROUND } from "./recorders.ts";

/** Enough for a rollup, but not more than the caches hold. */
const ROWS_BEFORE = 20_000;

type Layout = "perdura" | "plain";

const source = (shared: string, layout: Layout): string => dataFile(shared, { layout, rows: ROWS_BEFORE, users: 50 });

/** Copies the same rows with or without the rollup. */
function copyOf({ directory, shared }: Place, layout: Layout): string {
  const path = join(directory, `${layout}.db`);
  copyFileSync(source(shared, layout), path);
  return path;
}

function data({ shared }: Place): void {
  source(shared, "perdura");
  source(shared, "plain");
}

const peer = "the same into a database without it";

const one = (durability: Durability): Row => ({
  name: `record-rollup-${durability}`,
  what: `record one row into a database with the rollup of statistics, durability ${durability}`,
  peer,
  rounds: 41,
  atMost: 1.05,
  data,
  sides: {
    ours: (place) => perdura(copyOf(place, "perdura"), durability, ROWS_A_ROUND[durability]),
    peer: (place) => ({ ...perdura(copyOf(place, "plain"), durability, ROWS_A_ROUND[durability]), name: "no rollup" }),
  },
});

function many(place: Place, layout: Layout, name: string): Side {
  let collector: MetricsCollector | undefined;
  return {
    name,
    prepare: () => {
      collector?.close();
      collector = new MetricsCollector(copyOf(place, layout));
    },
    round: () => {
      collector?.recordMany(records(place.rows));
      return place.rows;
    },
    close: () => collector?.close(),
  };
}

/** Cost of the rollup's triggers for recording. */
export const RECORD_ROLLUP: Row[] = [
  one("full"),
  one("normal"),
  {
    name: "record-many-rollup",
    what: "record many rows in one transaction into a database with the rollup of statistics, per row",
    peer,
    rounds: 7,
    rows: 100_000,
    data,
    sides: {
      ours: (place) => many(place, "perdura", "perdura"),
      peer: (place) => many(place, "plain", "no rollup"),
    },
  },
];
