import { EXIT } from "@perdura/cli/exit_codes.js";
import { countText, sizeText } from "@perdura/cli/quantities.js";
import { namedVersions } from "./named_versions.ts";
import { type CommandRun, onStore, totalSize } from "./run_command.ts";
import { versionLines } from "./versions_table.ts";

/** Prints the versions of one library or of all. */
export const list: CommandRun = onStore(async (store, given, { signal, width, paint }) => {
  const versions = await namedVersions(store, given.words[1], signal);
  const names = new Set(versions.map(({ name }) => name));
  const counts = `${countText(versions.length, "version")} of ${countText(names.size, "library", "libraries")}`;
  const summary = versions.length === 0 ? "No backups." : `${counts}, ${sizeText(totalSize(versions))}.`;
  return { code: EXIT.done, summary, result: { versions }, lines: versionLines(versions, width, paint) };
});
