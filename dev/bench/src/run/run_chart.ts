import type { Row } from "../row.ts";
import { isThere } from "./needs.ts";
import { type Run, runSeats, type Seat } from "./run_row.ts";

/** Times at several sizes, of perdura and of all its peers. */
export interface Chart {
  title: string;
  /** Our line is first. */
  lines: ChartLine[];
}

export interface ChartLine {
  name: string;
  points: { rows: number; milliseconds: number }[];
}

/** Fewer rounds than for a row: a line needs no ratio with a spread. */
const ROUNDS = 3;

/** Default of `--rows`. */
const USUAL_ROWS = 100_000;

/** Measures one chart: powers of ten from a thousand rows to the requested size. */
export async function runChart(title: string, rows: readonly Row[], run: Run): Promise<Chart> {
  const present = rows.filter(({ needs }) => needs === undefined || isThere(needs));
  const [first] = present;
  if (first === undefined) return { title, lines: [] };
  const seats: Seat[] = [{ row: first, side: "ours" }, ...present.map((row): Seat => ({ row, side: "peer" }))];
  const lines: ChartLine[] = [];
  const most = Math.min(run.rows ?? USUAL_ROWS, ...present.map(({ mostRows = Infinity }) => mostRows));
  for (const size of sizesUpTo(most)) {
    const { sides } = await runSeats(seats, run, size, run.rounds ?? ROUNDS);
    for (const [index, { name, time }] of sides.entries())
      (lines[index] ??= { name, points: [] }).points.push({ rows: size, milliseconds: time.median });
  }
  return { title, lines };
}

export function sizesUpTo(most: number): number[] {
  const sizes: number[] = [];
  for (let size = 1000; size < most; size *= 10) sizes.push(size);
  return [...sizes, most];
}
