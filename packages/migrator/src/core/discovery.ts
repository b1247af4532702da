/** A database that was found. */
export interface FoundDatabase {
  path: string;
  bytes: number;
  /** In WAL mode by its header. */
  wal: boolean;
  /** Why it must not be opened for writing, or null. */
  refusal: string | null;
}

/** Everything that a run is about. */
export interface Discovery {
  databases: FoundDatabase[];
  /** Pattern libraries in JSON. They are among `leftAlone` as well, as long as nothing is to be said of them. */
  libraries: string[];
  stateDirectories: string[];
  leftAlone: { path: string; reason: string }[];
  refused: { path: string; reason: string }[];
  /** Of `refused`: what is wrong with each database that cannot be read. */
  unreadable: Map<string, string>;
  /** Files with names that perdura-migrate gives; see `excludedPaths` for those that are no part of the states. */
  own: string[];
  /** Directories of runs that are at work or were cut off; see `finishLeftovers`. */
  leftovers: string[];
  /** The directory that the report goes to. */
  home: string;
}
