import { type Compared, type Comparison, noteFault } from "./compare_tables.ts";
import type { Reader, Seen } from "./side.ts";
import type { CopiedTable } from "./tables.ts";

/** What a table is to a target that has nothing of it: all rows are missing, and only faults are looked for. */
export async function compareWithNothing(
  compared: Compared,
  found: Comparison,
  tell: (done: number) => Promise<void>,
): Promise<void> {
  const { table, source, repertoire } = compared;
  for await (const { rows, seen } of source.doubtful?.(table) ?? everyRow(source, table)) {
    await repertoire?.learn(rows);
    for (const row of rows) noteFault(found, compared, row);
    found.rows += seen;
    await tell(found.rows);
  }
  found.missing = found.rows;
  if (found.missing > 0) found.missingRanges.push({});
}

async function* everyRow(source: Reader, table: CopiedTable): AsyncGenerator<Seen, void> {
  for await (const rows of source.rows(table)) yield { rows, seen: rows.length };
}
