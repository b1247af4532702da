import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { dataFile, typicalUsers } from "../data/interactions.ts";
import { builtInspect, inspectByProgram, type ProgramRun } from "../measure/published_programs.ts";
import { plainFigures } from "../peers/plain_figures.ts";
import type { Place, Row } from "../row.ts";
import type { Side, Timed } from "../measure/measure.ts";

/** Size of a page in bytes that a mail or a ticket can carry. */
const MOST_BYTES = 2_000_000;

type Layout = "perdura" | "plain";

const source = ({ shared, rows }: Place, layout: Layout): string =>
  dataFile(shared, { layout, rows, users: typicalUsers(rows) });

/** The published program, from its start to its end. */
function byProgram(place: Place, layout: Layout): Side {
  const program = builtInspect();
  const path = source(place, layout);
  const page = join(place.directory, "page.html");
  const runs: ProgramRun[] = [];
  let bytes = 0;
  return {
    name: "perdura-inspect --html",
    prepare: () => rmSync(page, { force: true }),
    round: async (): Promise<Timed> => {
      const run = await inspectByProgram(program, path, page);
      runs.push(run);
      bytes = statSync(page).size;
      if (bytes > MOST_BYTES) throw new Error(`The page has ${bytes} bytes, more than ${MOST_BYTES}.`);
      return { milliseconds: run.whole };
    },
    memory: () => Math.max(...runs.map(({ memory }) => memory.largest)),
    remarks: () => [
      `the page has ${(bytes / 1000).toFixed(0)} kB, the program took ${Math.min(...runs.map(({ whole }) => whole)).toFixed(0)} ms at best`,
    ],
  };
}

function pageRow(layout: Layout, goal: Pick<Row, "name" | "what" | "atMost">): Row {
  return {
    ...goal,
    peer: "plain SQL for the figures alone, without trust and without a page",
    rounds: 5,
    rows: 100_000,
    goalFrom: 10_000_000,
    data: (place) => void source(place, layout),
    sides: {
      ours: (place) => byProgram(place, layout),
      peer: (place) => {
        const path = source(place, layout);
        return {
          name: "plain SQL",
          round: () => {
            plainFigures(path);
            return 1;
          },
        };
      },
    },
  };
}

/** The page of a database with its sums, compared with queries of its figures that read the rows. */
export const INSPECT_PAGE: Row = pageRow("perdura", {
  name: "inspect-page",
  what: "perdura-inspect --html of a database: totals, trend, 1,000 users, the trust of 50, the whole program",
  atMost: 1 / 5,
});

/** The page of a database that no program with sums has opened yet. */
export const INSPECT_PAGE_OF_ROWS: Row = pageRow("plain", {
  name: "inspect-page-of-rows",
  what: "the same of a database without sums, which the program reads row by row",
  atMost: 1,
});
