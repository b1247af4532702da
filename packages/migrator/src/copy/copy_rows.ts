import { NO_KEYS } from "@perdura/internals/metrics/keys/declared_keys.js";
import type { Progress, Stage } from "../core/progress.ts";
import {
  type Compared,
  compareRows,
  compareWithNothing,
  type Comparison,
  LISTED,
  nothingCompared,
} from "./compare_tables.ts";
import { amount, type Comparisons, type CopyReport, differencesOf, differing, tableReport } from "./copy_report.ts";
import type { Reader, Target } from "./side.ts";
import { type CopiedTable, type Row, type TableName, TABLES } from "./tables.ts";
import { verifyTable, WrittenPieces } from "./written_pieces.ts";

/** The two sides and the options of a copy. */
interface Copying {
  source: Reader;
  target: Target;
  replace: boolean;
  dryRun: boolean;
  run: Progress;
}

/** Outcome of a copy, with a summary. */
interface CopyOutcome {
  status: "copied" | "nothing_to_do" | "planned" | "refused" | "differs";
  summary: string;
}

/** Copies the rows that the target does not have, and compares everything at the end; fills the report. */
export async function copyRows(copying: Copying, report: CopyReport): Promise<CopyOutcome> {
  const { source, target, replace, dryRun } = copying;
  const tables: CopiedTable[] = [];
  for (const table of TABLES) if (await source.has(table.name)) tables.push(table);
  let comparisons = await compareAll(copying, tables);
  report.tables = [...comparisons].map(([table, found]) => tableReport(table, found));
  report.faults = [...comparisons.values()].flatMap(({ faults }) => faults).slice(0, LISTED);
  if (report.faults.length > 0)
    return {
      status: "refused",
      summary: [...comparisons.values()].some(({ isUnreadable }) => isUnreadable)
        ? "Some values cannot be read. Nothing was changed."
        : "The target cannot store some values. Nothing was changed.",
    };
  if (differing(comparisons) > 0 && !replace)
    return {
      status: "refused",
      summary:
        "Rows of the target differ from the source. Nothing was changed. Use --replace to overwrite or remove them.",
    };
  if (dryRun) {
    await copyDeclaredKeys(copying, tables, report);
    return { status: "planned", summary: `Nothing was changed. To copy: ${amount(report) || "nothing"}.` };
  }
  const highest = new Map<TableName, bigint>();
  for (const table of tables) {
    const above = await source.highest(table);
    if (above !== undefined) highest.set(table.name, above);
  }
  const [, interactions] = [...comparisons].find(([{ name }]) => name === "interactions") ?? [];
  await target.prepare(tables, highest, interactions?.missing ?? 0);
  // Without rows to copy, everything has just been compared.
  if (amount(report) === "") {
    await copyDeclaredKeys(copying, tables, report);
    return equal(target, report);
  }
  if (differing(comparisons) > 0) {
    await replaceDifferent(target, comparisons);
    comparisons = await compareAll(copying, tables);
  }
  const written = new Map<CopiedTable, WrittenPieces>();
  for (const [table, found] of comparisons) written.set(table, await addMissing(copying, table, found));
  // After the rows: declared keys make adding metadata slower. Before the sums, which then have those by key.
  await copyDeclaredKeys(copying, tables, report);
  // Computing the sums of the copied rows uses another processor. It starts first: with a single connection, verifying
  // waits for it.
  let isComputing = true;
  const computed = target.refresh().finally(() => (isComputing = false));
  const compared = verify(copying, written, report).then(async (outcome) => {
    if (isComputing) await copying.run.stage(source.place, "copy", "computing the sums of the statistics");
    return outcome;
  });
  const [refreshed, verified] = await Promise.allSettled([computed, compared]);
  if (verified.status === "rejected") throw verified.reason;
  if (refreshed.status === "rejected") throw refreshed.reason;
  return verified.value;
}

/** Declares the keys of the source in a target that declares none. */
async function copyDeclaredKeys(
  { source, target, dryRun }: Copying,
  tables: readonly CopiedTable[],
  report: CopyReport,
): Promise<void> {
  const { keys, numbers } = await source.declaredKeys();
  if (keys.length + numbers.length === 0 || !tables.some(({ name }) => name === "interactions")) return;
  const known = (await (await target.reader())?.declaredKeys()) ?? NO_KEYS;
  const outcome =
    known.keys.length + known.numbers.length > 0 ? "kept" : ((await target.obstacleToKeys()) ?? "declared");
  if (outcome === "declared" && !dryRun) await target.declareKeys({ keys, numbers });
  report.declared_keys = { keys, numbers, outcome };
}

async function compareAll(copying: Copying, tables: readonly CopiedTable[]): Promise<Comparisons> {
  const target = await copying.target.reader();
  const repertoire = await copying.target.repertoire();
  const comparisons: Comparisons = new Map();
  for (const table of tables) {
    const found = nothingCompared();
    comparisons.set(table, found);
    await listUnreadable(copying, target, table, found);
    if (found.isUnreadable) continue;
    const tell = progressOf(copying, table, "compare", await copying.source.count(table.name));
    if (await target?.has(table.name))
      await compareRows({ ...comparedIn(copying, table, target), repertoire }, {}, found, tell);
    else await compareWithNothing({ ...comparedIn(copying, table, undefined), repertoire }, found, tell);
  }
  return comparisons;
}

/** Lists values that would end the reading of a table on either side, so that it does not fail later. */
async function listUnreadable(
  { source }: Copying,
  target: Reader | undefined,
  table: CopiedTable,
  found: Comparison,
): Promise<void> {
  for (const [reader, side] of [
    [source, "source"],
    [target, "target"],
  ] as const) {
    const { rows, first } = (await reader?.unreadable?.(table)) ?? { rows: 0, first: [] };
    if (rows === 0) continue;
    found.isUnreadable = true;
    found.rows = await source.count(table.name);
    found.faultCount += rows;
    for (const { key, column } of first)
      if (found.faults.length < LISTED)
        found.faults.push({
          table: table.name,
          key: key.slice(0, 80),
          column,
          reason: `text of the ${side} that PostgreSQL cannot convert to UTF-8`,
        });
  }
}

function comparedIn({ source, target: { store } }: Copying, table: CopiedTable, target: Reader | undefined): Compared {
  return { table, source, target, into: store };
}

function progressOf(
  { source, run }: Copying,
  table: CopiedTable,
  stage: Stage,
  total: number,
): (done: number) => Promise<void> {
  return (done) =>
    run.progress({ path: source.place, stage, detail: `comparing ${table.name}`, done, total, unit: "rows" });
}

/** Rows are removed before those that they refer to. */
async function replaceDifferent(target: Target, comparisons: Comparisons): Promise<void> {
  for (const [table, { extra }] of [...comparisons].toReversed())
    if (extra.length > 0) await target.remove(table, extra);
  for (const [table, { different }] of comparisons) if (different.length > 0) await target.change(table, different);
}

async function addMissing(
  { source, target, run }: Copying,
  table: CopiedTable,
  { missing, missingRanges }: Comparison,
): Promise<WrittenPieces> {
  const written = new WrittenPieces();
  if (missing === 0) return written;
  const rows = async function* (): AsyncGenerator<readonly Row[], void> {
    for (const range of missingRanges) {
      const found = source.rows(table, range);
      yield* target.givesDigests ? written.through(found) : found;
    }
  };
  await target.add(table, rows(), (done) =>
    run.progress({
      path: source.place,
      stage: "copy",
      detail: `copying ${table.name}`,
      done,
      total: missing,
      unit: "rows",
    }),
  );
  return written;
}

/** Compares everything again with the present content of the target. */
async function verify(
  copying: Copying,
  written: ReadonlyMap<CopiedTable, WrittenPieces>,
  report: CopyReport,
): Promise<CopyOutcome> {
  const target = await copying.target.reader();
  const comparisons: Comparisons = new Map();
  for (const [table, { pieces }] of written) {
    const counted = report.tables.find((each) => each.table === table.name)?.rows ?? 0;
    const tell = progressOf(copying, table, "verify", counted);
    comparisons.set(table, await verifyTable(comparedIn(copying, table, target), pieces, tell));
  }
  const missing = [...comparisons.values()].reduce((sum, found) => sum + found.missing, 0);
  if (missing + differing(comparisons) === 0) return equal(copying.target, report);
  for (const table of report.tables) {
    const [, found] = [...comparisons].find(([{ name }]) => name === table.table) ?? [];
    if (found !== undefined) Object.assign(table, differencesOf(found, true));
  }
  return { status: "differs", summary: "The target differs from the source after the copy." };
}

function equal(target: Target, report: CopyReport): CopyOutcome {
  target.assertInPlace?.();
  report.verified = true;
  const done = amount(report);
  return {
    status: done === "" ? "nothing_to_do" : "copied",
    summary: `${done === "" ? "Nothing to do" : `Copied: ${done}`}. Both sides were compared row by row and are equal.`,
  };
}
