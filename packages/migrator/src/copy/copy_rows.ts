import type { Run } from "../run/run.ts";
import type { Stage } from "../report/progress.ts";
import { type Comparison, compareTable, LISTED } from "./compare_tables.ts";
import type { CopiedTableReport, CopyReport } from "./copy_report.ts";
import type { Row } from "./row_values.ts";
import type { Reader, Target } from "./side.ts";
import { type CopiedTable, TABLES, type TableName } from "./tables.ts";

type Comparisons = Map<CopiedTable, Comparison>;

/** What is compared and copied, and how. */
export interface Copying {
  source: Reader;
  target: Target;
  replace: boolean;
  dryRun: boolean;
  run: Run;
}

/** Copies what the target does not have, and compares everything at the end; says in the report what was done. */
export async function copyRows(copying: Copying, report: CopyReport): Promise<void> {
  const { source, target, replace, dryRun } = copying;
  const tables: CopiedTable[] = [];
  for (const table of TABLES) if (await source.has(table.name)) tables.push(table);
  let comparisons = await compareAll(copying, tables, "compare");
  report.tables = [...comparisons].map(([table, found]) => tableReport(table, found));
  report.faults = [...comparisons.values()].flatMap(({ faults }) => faults).slice(0, LISTED);
  if (report.faults.length > 0) return conclude(report, 3, "Values that the target cannot hold. Nothing was changed.");
  if (differing(comparisons) > 0 && !replace)
    return conclude(
      report,
      3,
      "Rows of the target differ from the source. Nothing was changed. With --replace the source wins.",
    );
  if (dryRun) return conclude(report, 0, `Nothing was changed. To copy: ${amount(report)}.`);
  const highest = new Map<TableName, bigint>();
  for (const table of tables) {
    const above = await source.highest(table);
    if (above !== undefined) highest.set(table.name, above);
  }
  await target.prepare(tables, highest);
  if (differing(comparisons) > 0) {
    await replaceDifferent(target, comparisons);
    comparisons = await compareAll(copying, tables, "compare");
  }
  for (const [table, found] of comparisons) await addMissing(copying, table, found);
  await verify(copying, tables, report);
}

async function compareAll(
  { source, target, run }: Copying,
  tables: readonly CopiedTable[],
  stage: Stage,
): Promise<Comparisons> {
  const reader = await target.reader();
  const comparisons: Comparisons = new Map();
  for (const table of tables) {
    const total = await source.count(table.name);
    const tell = (done: number): Promise<void> =>
      run.progress({ path: source.place, stage, detail: `comparing ${table.name}`, done, total, unit: "rows" });
    comparisons.set(table, await compareTable(table, source, reader, target.store, tell));
  }
  return comparisons;
}

/** Rows that refer to others go before them. */
async function replaceDifferent(target: Target, comparisons: Comparisons): Promise<void> {
  for (const [table, { extra }] of [...comparisons].toReversed())
    if (extra.length > 0) await target.remove(table, extra);
  for (const [table, { different }] of comparisons) if (different.length > 0) await target.change(table, different);
}

async function addMissing({ source, target, run }: Copying, table: CopiedTable, found: Comparison): Promise<void> {
  if (found.missing === 0) return;
  const rows = async function* (): AsyncGenerator<readonly Row[], void> {
    for (const range of found.missingRanges) yield* source.rows(table, range);
  };
  await target.add(table, rows(), (done) =>
    run.progress({
      path: source.place,
      stage: "copy",
      detail: `copying ${table.name}`,
      done,
      total: found.missing,
      unit: "rows",
    }),
  );
}

/** Everything once more, as the target has it now. */
async function verify(copying: Copying, tables: readonly CopiedTable[], report: CopyReport): Promise<void> {
  const comparisons = await compareAll(copying, tables, "verify");
  const missing = [...comparisons.values()].reduce((sum, found) => sum + found.missing, 0);
  if (missing + differing(comparisons) > 0) {
    for (const table of report.tables) {
      const [, found] = [...comparisons].find(([{ name }]) => name === table.table) ?? [];
      if (found !== undefined) Object.assign(table, differencesOf(found, true));
    }
    return conclude(report, 4, "The target differs from the source after the copy.");
  }
  report.verified = true;
  conclude(
    report,
    0,
    `${amount(report) === "" ? "Nothing to do" : `Copied: ${amount(report)}`}. Both sides were compared row by row and are equal.`,
  );
}

function tableReport({ name }: CopiedTable, found: Comparison): CopiedTableReport {
  return {
    table: name,
    rows: found.rows,
    present: found.equal,
    copied: found.missing,
    replaced: found.different.length,
    removed: found.extra.length,
    recorded_since: found.since,
    faults: found.faultCount,
    ...differencesOf(found, false),
  };
}

function differencesOf(
  found: Comparison,
  withMissing: boolean,
): Pick<CopiedTableReport, "differences" | "difference_count"> {
  const only = (keys: readonly (string | undefined)[], where: string): { key: string; columns: string[] }[] =>
    keys.slice(0, LISTED).map((key) => ({ key: key as string, columns: [where] }));
  const missing = withMissing
    ? only(
        found.missingRanges.map(({ first }) => first),
        "only in the source",
      )
    : [];
  return {
    differences: [...found.differences, ...only(found.extra, "only in the target"), ...missing].slice(0, LISTED),
    difference_count: found.different.length + found.extra.length + (withMissing ? found.missing : 0),
  };
}

function differing(comparisons: Comparisons): number {
  return [...comparisons.values()].reduce((sum, { different, extra }) => sum + different.length + extra.length, 0);
}

function amount({ tables }: CopyReport): string {
  return tables
    .filter(({ copied, replaced, removed }) => copied + replaced + removed > 0)
    .map(({ table, copied, replaced, removed }) => {
      const others = [replaced > 0 ? `${replaced} replaced` : "", removed > 0 ? `${removed} removed` : ""].filter(
        Boolean,
      );
      return `${table} ${copied}${others.length > 0 ? ` (${others.join(", ")})` : ""}`;
    })
    .join(", ");
}

function conclude(report: CopyReport, code: CopyReport["exit_code"], summary: string): void {
  report.exit_code = code;
  report.summary = summary;
}
