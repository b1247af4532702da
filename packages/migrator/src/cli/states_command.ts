import { setImmediate as turn } from "node:timers/promises";
import { has, valueOf } from "@perdura/cli/option_table.js";
import { printLine } from "@perdura/cli/lost_output.js";
import { nameOf } from "@perdura/cli/names.js";
import type { ProgressPrinter } from "@perdura/cli/progress_printer.js";
import { countText, numberText } from "@perdura/cli/quantities.js";
import type { Table } from "@perdura/cli/table.js";
import { jsonText, widthOf } from "@perdura/cli/terminal.js";
import { extractArchivedStates } from "../archive/restore/extract_archived.ts";
import { type ArchivedState, listArchivedStates } from "../archive/read/list_archived.ts";
import { Stop } from "../core/stop.ts";
import type { Arguments } from "./arguments.ts";
import { commandLine } from "../core/shell_words.ts";
import { statesTable } from "./states_table.ts";

/** How many rows are looked at before the widths of the columns are chosen, and are printed at once. */
const BATCH = 500;

/**
 * Lists the states of an archive, or extracts everything in it.
 *
 * @returns A sentence about what was written to disk; empty for a list.
 */
export async function statesCommand(given: Arguments, progress: ProgressPrinter, signal: AbortSignal): Promise<string> {
  const archive = given.targets[0] as string;
  const directory = valueOf(given, "extract");
  if (directory !== undefined) return await extract(archive, directory, given, progress, signal);
  await list(archive, given, signal);
  return "";
}

async function list(archive: string, given: Arguments, signal: AbortSignal): Promise<void> {
  const count = { ok: 0, broken: 0 };
  const print = printer(given);
  for (const batch of batches(listArchivedStates(archive))) {
    for (const { status } of batch) count[status] += 1;
    print(batch);
    // Nobody reads on (`… | head`), or somebody wants to stop.
    if (!process.stdout.writable) return;
    await afterTurn(signal);
  }
  if (has(given, "json")) return;
  const blank = has(given, "quiet") || count.ok + count.broken === 0 ? "" : "\n";
  printLine(`${blank}${countText(count.ok + count.broken, "state")}, ${numberText(count.broken)} broken.`);
  if (blank !== "")
    printLine(`\nTo look at the files:\n  ${commandLine("states", ["--extract", "DIR"], given.targets)}`);
}

function printer(given: Arguments): (batch: readonly ArchivedState[]) => void {
  if (has(given, "json")) return (batch) => printLine(batch.map((state) => jsonText(state)).join("\n"));
  if (has(given, "quiet")) return () => undefined;
  let table: Table<ArchivedState> | undefined;
  return (batch) => {
    const title = table === undefined;
    const shown = (table ??= statesTable(batch, widthOf(process.stdout)));
    const lines = [...(title ? [shown.title()] : []), ...batch.map((state) => shown.row(state))];
    printLine(lines.join("\n"));
  };
}

function* batches(states: Iterable<ArchivedState>): Generator<ArchivedState[]> {
  let batch: ArchivedState[] = [];
  try {
    for (const state of states) {
      batch.push(state);
      if (batch.length < BATCH) continue;
      yield batch;
      batch = [];
    }
  } finally {
    // Also what came before an error.
    if (batch.length > 0) yield batch;
  }
}

async function extract(
  archive: string,
  directory: string,
  given: Arguments,
  { print, clear }: ProgressPrinter,
  signal: AbortSignal,
): Promise<string> {
  const onProgress = async (done: number): Promise<void> => {
    print({
      event: "progress",
      path: directory,
      stage: "restore",
      detail: "extracting",
      done,
      total: null,
      unit: "entries",
    });
    await afterTurn(signal);
  };
  const extracted = await extractArchivedStates(archive, directory, { onProgress }).finally(clear);
  const { entries, inexact_times: inexact } = extracted;
  const times =
    inexact === 0 ? "" : ` The times of ${countText(inexact, "entry", "entries")} are exact to a microsecond only.`;
  const done = `Extracted ${countText(entries, "entry", "entries")} into ${nameOf(extracted.directory)}.`;
  printLine(has(given, "json") ? jsonText(extracted, 2) : `${done}${times}`);
  return done;
}

/** Lets a request to stop arrive. */
async function afterTurn(signal: AbortSignal): Promise<void> {
  await turn();
  await turn();
  if (signal.aborted) throw new Stop("interrupted", "Interrupted.");
}
