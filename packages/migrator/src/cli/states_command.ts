import { setImmediate as turn } from "node:timers/promises";
import { EXIT } from "@perdura/cli/exit_codes.js";
import { printLine } from "@perdura/cli/lost_output.js";
import { shownPath } from "@perdura/cli/shown_paths.js";
import { has, valueOf } from "@perdura/cli/option_table.js";
import { countText, numberText, timeText } from "@perdura/cli/quantities.js";
import type { Result, Runner, Tools } from "@perdura/cli/run_program.js";
import { type Column, Table } from "@perdura/cli/table.js";
import { jsonText, printable } from "@perdura/cli/terminal.js";
import { type ArchivedState, listArchivedStates } from "../archive/read/list_archived.ts";
import { extractArchivedStates } from "../archive/restore/extract_archived.ts";
import { commandLine } from "../core/shell_words.ts";
import { Stop } from "../core/stop.ts";
import type { Arguments, Command, OptionName } from "./table.ts";

const COLUMNS: readonly Column<ArchivedState>[] = [
  { title: "user", rank: 0, text: ({ user_id: user }) => printable(user) },
  { title: "level", right: true, rank: 2, text: ({ current_level: level }) => cell(level) },
  { title: "target", right: true, rank: 5, text: ({ target_level: level }) => cell(level) },
  { title: "trust", right: true, rank: 3, text: ({ trust_level: trust }) => cell(trust) },
  { title: "interactions", right: true, rank: 4, text: ({ interaction_count: count }) => cell(count) },
  { title: "successes", right: true, rank: 7, text: ({ success_count: count }) => cell(count) },
  { title: "failures", right: true, rank: 8, text: ({ failure_count: count }) => cell(count) },
  { title: "last", rank: 6, text: ({ last_interaction: last }) => (last === null ? "-" : printable(timeText(last))) },
  {
    title: "",
    rank: 1,
    text: ({ status, reason }) =>
      reason === null ? "" : printable(`${status === "ok" ? "unusual" : "broken"}: ${reason}`),
  },
];

/** A table of states whose columns are as wide as its first rows need. */
export function statesTable(sample: readonly ArchivedState[], width: number): Table<ArchivedState> {
  return new Table(COLUMNS, sample, width);
}

function cell(value: number | null): string {
  return value === null ? "-" : numberText(value);
}

/** Number of rows that are printed at once; the first batch also determines the widths of the columns. */
const BATCH = 500;

/** Lists the states of an archive, or extracts everything in it. */
export const states: Runner<Command, OptionName> = (given, tools) => {
  const archive = given.words[0] as string;
  const directory = valueOf(given, "extract");
  return directory === undefined ? list(archive, given, tools) : extract(archive, directory, tools);
};

/** Prints states in batches: all of them may not fit into memory. */
async function list(archive: string, given: Arguments, { signal, width }: Tools): Promise<Result> {
  const count = { ok: 0, broken: 0 };
  const { print, omitted } = printer(given, width);
  for (const batch of batches(listArchivedStates(archive))) {
    for (const { status } of batch) count[status] += 1;
    print(batch);
    // The reader closed the pipe (`… | head`), or the user wants to stop.
    if (!process.stdout.writable) break;
    await afterTurn(signal);
  }
  const summary = `${countText(count.ok + count.broken, "state")}, ${numberText(count.broken)} broken.`;
  const next = `To extract the files:\n  ${commandLine("states", ["--extract", "DIR"], given.words)}`;
  const text = count.ok + count.broken === 0 ? `${summary}\n` : `${[...omitted(), "", summary, "", next].join("\n")}\n`;
  return { code: EXIT.done, summary, done: "", document: [], isJsonLines: true, text, isLaidOut: true };
}

interface Printer {
  print: (batch: readonly ArchivedState[]) => void;
  /** A line with the columns that were not shown; none if all were. */
  omitted: () => string[];
}

function printer(given: Arguments, width: number): Printer {
  let table: Table<ArchivedState> | undefined;
  const omitted = (): string[] => table?.omitted() ?? [];
  if (has(given, "json"))
    return { print: (batch) => printLine(batch.map((state) => jsonText(state)).join("\n")), omitted };
  if (has(given, "quiet")) return { print: () => undefined, omitted };
  const print = (batch: readonly ArchivedState[]): void => {
    const title = table === undefined;
    const shown = (table ??= statesTable(batch, width));
    const lines = [...(title ? [shown.title()] : []), ...batch.map((state) => shown.row(state))];
    printLine(lines.join("\n"));
  };
  return { print, omitted };
}

function* batches(all: Iterable<ArchivedState>): Generator<ArchivedState[]> {
  let batch: ArchivedState[] = [];
  try {
    for (const state of all) {
      batch.push(state);
      if (batch.length < BATCH) continue;
      yield batch;
      batch = [];
    }
  } finally {
    // Also prints the states that precede an error.
    if (batch.length > 0) yield batch;
  }
}

async function extract(archive: string, directory: string, { progress, signal }: Tools): Promise<Result> {
  const onProgress = async (done: number): Promise<void> => {
    progress.print({
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
  const extracted = await extractArchivedStates(archive, directory, { onProgress });
  const { entries, inexact_times: inexact } = extracted;
  const times =
    inexact === 0
      ? ""
      : ` The times of ${countText(inexact, "entry", "entries")} were restored to the microsecond only.`;
  const done = `Extracted ${countText(entries, "entry", "entries")} into ${shownPath(extracted.directory)}.`;
  return { code: EXIT.done, summary: `${done}${times}`, done, document: extracted, text: `${done}${times}` };
}

/** Lets the event loop handle a request to stop. */
async function afterTurn(signal: AbortSignal): Promise<void> {
  await turn();
  await turn();
  if (signal.aborted) throw new Stop("interrupted", "Interrupted.");
}
