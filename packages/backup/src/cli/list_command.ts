import { countText, sizeText } from "@perdura/cli/quantities.js";
import { namedVersions } from "./named_versions.ts";
import { totalSize } from "./outcome.ts";
import type { CommandRun } from "./run_command.ts";
import { versionLines } from "./versions_table.ts";

/** Shows the versions of one library or of all. */
export const list: CommandRun = async (store, given, { signal, width, paint }) => {
  const versions = await namedVersions(store, given.targets[1], signal);
  const names = new Set(versions.map(({ name }) => name));
  const counts = `${countText(versions.length, "version")} of ${countText(names.size, "library", "libraries")}`;
  const summary = versions.length === 0 ? "No backups." : `${counts}, ${sizeText(totalSize(versions))}.`;
  return { code: 0, summary, result: { versions }, lines: versionLines(versions, width, paint) };
};
