import type { DeletionOptions } from "../../text/deletion_options.ts";

export type { DeletionOptions, DeletionProgress } from "../../text/deletion_options.ts";

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
