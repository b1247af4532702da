import { has } from "@perdura/cli/option_table.js";
import type { ProgressPrinter } from "@perdura/cli/progress_printer.js";
import { type Paint, paintFor, widthOf } from "@perdura/cli/terminal.js";
import type { BackupStore } from "../backup_store.ts";
import type { Arguments } from "./arguments.ts";
import { list } from "./list_command.ts";
import { openStore } from "./open_store.ts";
import type { Command } from "./options.ts";
import type { Outcome } from "./outcome.ts";
import { prune } from "./prune_command.ts";
import { pull } from "./pull_command.ts";
import { push } from "./push_command.ts";
import { verify } from "./verify_command.ts";

/** What a command works with beside its store. */
interface Surroundings {
  signal: AbortSignal;
  /** Columns of the output. */
  width: number;
  paint: Paint;
}

/** Does what a command is for. */
export type CommandRun = (store: BackupStore, given: Arguments, around: Surroundings) => Promise<Outcome>;

const COMMANDS: Record<Command, CommandRun> = { push, list, pull, verify, prune };

/** Runs a command on the store that it names; returns also the store's address, without secrets. */
export async function runCommand(
  given: Arguments,
  progress: ProgressPrinter,
  signal: AbortSignal,
): Promise<{ outcome: Outcome; place: string }> {
  const store = await openStore(given, progress.print);
  try {
    const around = { signal, width: widthOf(process.stdout), paint: paintFor(process.stdout, !has(given, "no-color")) };
    return { outcome: await COMMANDS[given.command](store, given, around), place: store.place };
  } finally {
    progress.clear();
    await store.close();
  }
}
