import type { Database } from "@perdura/internals/sqlite/open_database.js";
import type { Step } from "./step.ts";

/** The step that changes `user_version`. A number that another program has set stays. */
export function markVersion(database: Database, from: number, to: number): Step[] {
  if (database.pragma("user_version", { simple: true }) !== from || from === to) return [];
  return [
    {
      title: `set user_version to ${to}`,
      run: (connection) => void connection.pragma(`user_version = ${Number(to)}`),
    },
  ];
}
