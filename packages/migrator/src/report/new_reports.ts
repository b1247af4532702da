import type { DatabaseReport, StateDirectoryReport } from "./report.ts";

/** A report on a database about which nothing is known yet. */
export function databaseReport(path: string, bytes: number): DatabaseReport {
  return {
    path,
    bytes,
    status: "not_started",
    reason: null,
    layout: null,
    layout_title: null,
    tables: [],
    odd_rows: [],
    missing_levels: null,
    assumed_levels: [],
    united: null,
    history: [],
    steps: [],
    notes: [],
    disk: null,
    backup: null,
    backups: [],
    verification: null,
    removed: [],
  };
}

/** A report on a state directory about which nothing is known yet. */
export function stateDirectoryReport(path: string): StateDirectoryReport {
  return {
    path,
    status: "not_started",
    reason: null,
    entries: 0,
    bytes: 0,
    states_ok: 0,
    states_odd: [],
    states_broken: [],
    notes: [],
    disk: null,
    archive: null,
    differences: [],
    restored: 0,
    removed: 0,
  };
}
