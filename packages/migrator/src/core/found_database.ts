/** A database that was found. */
export interface FoundDatabase {
  path: string;
  bytes: number;
  /** In WAL mode by its header. */
  wal: boolean;
  /** Why it must not be opened for writing, or null. */
  refusal: string | null;
}
