import { EXIT, type ExitCode } from "@perdura/cli/exit_codes.js";
import type { Runner, Tools } from "@perdura/cli/run_program.js";
import { printable } from "@perdura/cli/terminal.js";
import type { BackupStore } from "../backup_store.ts";
import type { BackupVersion } from "../layout/versions.ts";
import { openStore } from "./open_store.ts";
import type { Arguments, Command, OptionName } from "./table.ts";

/** Result of a command. */
export interface Outcome {
  code: ExitCode;
  /** One line. */
  summary: string;
  /** Members of the `--json` output in addition to the command, the store, the exit code and the summary. */
  result: Record<string, unknown>;
  /** Lines before the summary. */
  lines: string[];
}

export type CommandRun = Runner<Command, OptionName>;

/** Runs a command on the store that its arguments name, and closes the store. */
export function onStore(perform: (store: BackupStore, given: Arguments, tools: Tools) => Promise<Outcome>): CommandRun {
  return async (given, tools) => {
    const store = await openStore(given, tools.progress.print);
    try {
      const { code, summary, result, lines } = await perform(store, given, tools);
      const shown = (code === EXIT.done ? tools.paint.good : tools.paint.bad)(printable(summary));
      const document = { command: given.command, place: store.place, exit_code: code, summary, ...result };
      return { code, summary, document, text: [...lines, shown].join("\n") };
    } finally {
      await store.close();
    }
  };
}

/** Total size of the versions in bytes. */
export function totalSize(versions: readonly BackupVersion[]): number {
  return versions.reduce((sum, { size }) => sum + size, 0);
}
