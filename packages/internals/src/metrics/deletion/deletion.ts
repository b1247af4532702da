/** Progress of a deletion. */
export interface DeletionProgress {
  /** Interactions deleted so far. */
  done: number;
  /** Number of interactions to delete when the call began. */
  total: number;
}

/** Settings of a deletion. */
export interface DeletionOptions {
  /**
   * True to leave no copy of what is deleted in the file: the bytes are overwritten, also those of rows that were deleted
   * before, and the log is emptied. Without it, deleted rows cannot be asked for any more, but the file may still contain
   * parts of them until SQLite needs the space. False by default.
   */
  erase?: boolean | undefined;
  /** Called after each part of the deletion, which is then stored. If it throws, the rest is not deleted. */
  onProgress?: ((progress: DeletionProgress) => void) | undefined;
}

/** Settings of `deleteBefore`. */
export interface DeleteBeforeOptions extends DeletionOptions {
  /** Deletes interactions of this user only; of all users by default. */
  user_id?: string | undefined;
}

/** Numbers of deleted rows. */
export interface Deleted {
  /** Deleted interactions. */
  interactions: number;
  /** Those of them that had metadata, which are deleted as well. */
  metadata: number;
}
