import type { FileLeftAlone } from "./report.ts";

/** A database that was found. */
export interface FoundDatabase {
  path: string;
  bytes: number;
  /** True if the header says WAL mode. */
  wal: boolean;
  /** Reason not to open it for writing, or null. */
  refusal: string | null;
}

/** Everything that a run found. */
export interface Discovery {
  /** The paths that were searched. */
  targets: readonly string[];
  /** Backups and archives that the caller named, by the file or directory that each was made from. */
  namedBackups: ReadonlyMap<string, readonly string[]>;
  databases: FoundDatabase[];
  /** Pattern libraries in JSON. They are also in `leftAlone`, unless a command reports on them. */
  libraries: string[];
  stateDirectories: string[];
  leftAlone: FileLeftAlone[];
  refused: { path: string; reason: string }[];
  /** For databases in `refused` that cannot be read: the fault of each. */
  unreadable: Map<string, string>;
  /** Files with names that perdura-migrate gives; `excludedPaths` decides which of them are not part of the states. */
  own: string[];
  /** Temporary directories of runs that are active or were interrupted; see `finishLeftovers`. */
  leftovers: string[];
  /** The directory in which the report is saved. */
  home: string;
}
