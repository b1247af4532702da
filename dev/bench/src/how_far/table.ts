/** Measured values of one kind of database at one size. */
export interface Figures {
  engine: string;
  rows: number;
  bytes: number;
  /** Median durations, in milliseconds. */
  calls: Record<string, number>;
}

/** One row for each value, one column for each kind of database and size. */
export function table(found: readonly Figures[]): string {
  const head = ["", ...found.map(({ engine, rows }) => `${engine}, ${rows / 1_000_000}M`)];
  const calls = Object.keys(found[0]?.calls ?? {});
  const lines = [
    ["bytes a row", ...found.map(({ bytes, rows }) => String(Math.round(bytes / rows)))],
    ...calls.map((call) => [call, ...found.map((figures) => shownTime(figures.calls[call] as number))]),
  ];
  const shown = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [shown(head), shown(head.map(() => "---")), ...lines.map(shown)].join("\n");
}

function shownTime(ms: number): string {
  return ms < 1 ? `${Number((ms * 1000).toPrecision(2))} µs` : `${Number(ms.toPrecision(2))} ms`;
}
