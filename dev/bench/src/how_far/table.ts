/** Measured values of one kind of database at one size. */
export interface Figures {
  engine: string;
  rows: number;
  bytes: number;
  /** Duration of making the sums of all interactions, in milliseconds; null if it was not measured. */
  sumsMs: number | null;
  /** Median durations, in milliseconds. */
  calls: Record<string, number>;
}

/** One row for each kind of database and size, one column for each value. */
export function table(found: readonly Figures[]): string {
  const calls = Object.keys(found[0]?.calls ?? {});
  const head = ["database", "interactions", "bytes each", "making the sums", ...calls];
  const lines = found.map(({ engine, rows, bytes, sumsMs, calls: times }) => [
    engine,
    rows.toLocaleString("en-US"),
    String(Math.round(bytes / rows)),
    sumsMs === null ? "–" : `${Number((sumsMs / 1000).toPrecision(2))} s`,
    ...calls.map((call) => shownTime(times[call] as number)),
  ]);
  const shown = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [shown(head), shown(head.map(() => "---")), ...lines.map(shown)].join("\n");
}

function shownTime(ms: number): string {
  return ms < 1 ? `${Number((ms * 1000).toPrecision(2))} µs` : `${Number(ms.toPrecision(2))} ms`;
}
