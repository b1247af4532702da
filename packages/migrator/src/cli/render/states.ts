import { nameOf, textOf } from "@perdura/cli/names.js";
import { countText, numberText, sizeText } from "@perdura/cli/quantities.js";
import { type Paint, printable } from "@perdura/cli/terminal.js";
import type { MigrationReport, StateDirectoryReport } from "../../core/report.ts";
import { heading, isForecast, reasonLines, atMost } from "./heading.ts";

/** What was found in a state directory and done with it, as lines. */
export function showStates(directory: StateDirectoryReport, report: MigrationReport, paint: Paint): string[] {
  const { path, bytes, status, archive, disk, restored, removed, states_broken: broken } = directory;
  const forecast = isForecast(report);
  return [
    heading(`${path}/`, bytes, status, paint),
    ...showCounts(directory),
    ...showFiles("broken, archived as it is", broken),
    ...showFiles("kept", directory.states_odd),
    ...directory.notes.map((note) => `  note: ${textOf(note)}`),
    ...(disk === null || (status !== "planned" && status !== "refused")
      ? []
      : [`  disk: ${sizeText(disk.needed_bytes)} needed at most, ${sizeText(disk.free_bytes)} free`]),
    ...(archive === null
      ? []
      : [
          `  archive: ${nameOf(archive.path)}${status === "planned" && report.command === "plan" ? "; the directory stays as it is" : ""}`,
        ]),
    ...(report.command === "status" && status === "planned" ? ["  left to do: archive it"] : []),
    ...(restored === 0
      ? []
      : [`  ${forecast ? "would restore" : "restored"}: ${countText(restored, "entry", "entries")}`]),
    ...(removed === 0 ? [] : [`  ${forecast ? "would remove" : "removed"}: ${countText(removed, "entry", "entries")}`]),
    ...atMost(directory.differences.map((difference) => `  differs: ${textOf(difference)}`)),
    ...reasonLines(directory.reason, status, paint),
  ];
}

function showCounts({ entries, states_ok: ok, states_broken: broken }: StateDirectoryReport): string[] {
  if (entries === 0) return [];
  const states = ok + broken.length === 0 ? "" : `: ${countText(ok, "state")}, ${numberText(broken.length)} broken`;
  return [`  ${countText(entries, "entry", "entries")}${states}`];
}

function showFiles(label: string, files: readonly { file: string; reason: string }[]): string[] {
  return atMost(files.map(({ file, reason }) => `  ${label}: ${printable(file)}: ${printable(reason)}`));
}
