import { copyText } from "../data/copy_text.ts";
import { dataFile, type DataSet, typicalUsers } from "../data/interactions.ts";
import {
  builtMigrateForPostgres,
  copyByProgram,
  type PartOfRun,
  type ProgramRun,
  WHOLE,
} from "../measure/published_programs.ts";
import { type Database, emptyTables, onServer } from "../postgres/tables.ts";
import type { Place, Row } from "../row.ts";
import type { Side, Timed } from "../measure/measure.ts";
import { byCopy } from "./postgres_recording.ts";

const setOf = (rows: number): DataSet & { layout: "perdura" } => ({
  layout: "perdura",
  rows,
  users: typicalUsers(rows),
});
const source = ({ shared, rows }: Place): string => dataFile(shared, setOf(rows));
export const text = ({ shared, rows }: Place): string => copyText(shared, setOf(rows));

/** The published program. */
export function byProgram(place: Place, database: Database, part: PartOfRun): Side {
  const program = builtMigrateForPostgres();
  const path = source(place);
  const runs: ProgramRun[] = [];
  return {
    name: "perdura-migrate copy",
    prepare: () => emptyTables(database, "ours"),
    round: async (): Promise<Timed> => {
      const run = await copyByProgram(program, path, database.addresses.own, "ours");
      runs.push(run);
      return { milliseconds: part(run) / place.rows };
    },
    memory: () => Math.max(...runs.map(({ memory }) => memory.largest)),
    remarks: () => ["our memory is that of the largest process"],
  };
}

/** Copying from SQLite, with its comparison of both sides row by row: the goal is 0.7 times the rate of COPY. */
export const POSTGRES_COPY: Row = {
  name: "postgres-copy",
  what: "perdura-migrate copy of a database to PostgreSQL, the whole program, per row",
  peer: "PostgreSQL's own COPY of the same rows from a text file, into the same layout",
  rounds: 5,
  atMost: 1 / 0.7,
  goalFrom: 1_000_000,
  rows: 100_000,
  needs: "PostgreSQL",
  data: (place) => void text(place),
  sides: {
    ours: (place) => byProgram(place, onServer(place), WHOLE),
    peer: (place) => byCopy(onServer(place), text(place)),
  },
};
