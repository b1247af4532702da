import { EXIT } from "@perdura/cli/exit_codes.js";
import { resolve } from "node:path";
import { isPerduraError } from "@perdura/internals/errors/errors.js";
import { shownPath } from "@perdura/cli/shown_paths.js";
import { has, valueOf } from "@perdura/cli/option_table.js";
import { DecisionNeeded } from "@perdura/cli/usage_error.js";
import { sizeText, timeText } from "@perdura/cli/quantities.js";
import { KeptFileError, tablesText } from "../transfer/restore.ts";
import { type CommandRun, onStore } from "./run_command.ts";

/** Restores a version into a file. */
export const pull: CommandRun = onStore(async (store, given, { signal }) => {
  const name = given.words[1] as string;
  const to = resolve(valueOf(given, "to") as string);
  const [version, at] = [valueOf(given, "version"), valueOf(given, "at")];
  try {
    const {
      removed_tables: removed,
      continued_bytes: continued,
      ...restored
    } = await store.restore(name, {
      to,
      version,
      at,
      overwrite: has(given, "overwrite"),
      signal,
    });
    const { size, created_at: made } = restored;
    const summary = `Restored ${name} as of ${timeText(made)} (${restored.version}, ${sizeText(size)}) into ${shownPath(to)}.`;
    const removal =
      removed.length === 0 ? "" : ` Removed tables that the backup does not have: ${tablesText(removed)}.`;
    const continuation = continued === 0 ? "" : ` An interrupted pull had downloaded ${sizeText(continued)} of it.`;
    return {
      code: EXIT.done,
      summary: `${summary}${continuation}${removal}`,
      result: { restored, path: to, removed_tables: removed, continued_bytes: continued },
      lines: [],
    };
  } catch (error) {
    if (!isAboutExistingFile(error, to)) throw error;
    const text = error instanceof KeptFileError ? error.messageFor("--overwrite") : error.message;
    throw new DecisionNeeded(text, { cause: error });
  }
});

/** A file that is kept is not a usage error, unlike a wrong argument. */
function isAboutExistingFile(error: unknown, to: string): error is Error {
  const isRefused = isPerduraError(error, "PERDURA_VALIDATION") || isPerduraError(error, "PERDURA_UNSUPPORTED_FORMAT");
  return isRefused && error.path === to && error.argument === undefined;
}
