import { nameOf } from "@perdura/cli/names.js";
import { sizeText, timeText } from "@perdura/cli/quantities.js";
import { printable } from "@perdura/cli/terminal.js";
import type { DatabaseReport } from "../core/report.ts";

/** `status`: what was done with a database, what is there to go back to, and what is left to do. */
export function showHistory({ history, backups, steps, status }: DatabaseReport): string[] {
  return [
    ...history.map(
      ({ migrated_at: time, tool_version: version, layout, fence }) =>
        `  migrated: ${printable(timeText(time))} by perdura-migrate ${printable(version)} from ${printable(layout)}${fence === null ? "" : `, fence ${fence}`}`,
    ),
    ...backups.map(({ path, bytes }) => `  backup: ${nameOf(path)} (${sizeText(bytes)})`),
    ...(status === "planned" ? left(steps, history.length > 0) : []),
  ];
}

function left(steps: readonly string[], migrated: boolean): string[] {
  if (!migrated) return ["  left to do: migrate it"];
  // Every migration writes its record; that is no work of its own.
  const work = steps.filter((step) => /index|fence|view/.test(step));
  return (work.length === 0 ? steps : work).map((step) => `  left to do: ${printable(step)}`);
}
