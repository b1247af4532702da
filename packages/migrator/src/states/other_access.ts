import { countText } from "@perdura/cli/quantities.js";
import type { StateDirectoryReport } from "../report/report.ts";
import type { Few } from "./few.ts";
import type { Entry } from "./walk_tree.ts";

/** True where an entry has another owner, group or mode than the archived one: who may use it, not what it holds. */
export function hasOtherAccess(archived: Entry, { mode, uid, gid }: Entry): boolean {
  return archived.mode !== mode || archived.uid !== uid || archived.gid !== gid;
}

/** Reports entries that {@link hasOtherAccess} found; they are no difference. */
export function noteOtherAccess(report: StateDirectoryReport, entries: Few): void {
  if (entries.count > 0)
    report.notes.push(
      `${countText(entries.count, "entry", "entries")} with another owner or mode than archived: ${entries.list().join(", ")}`,
    );
}
