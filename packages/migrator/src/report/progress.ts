/** The steps that work on one item goes through, in order. */
export type Stage =
  | "discover"
  | "inspect"
  | "lock"
  | "backup"
  | "change"
  | "verify"
  | "commit"
  | "archive"
  | "read_back"
  | "place"
  | "compare";

/** One step has begun. */
export interface ProgressEvent {
  event: "progress";
  /** The database or directory at work. */
  path: string;
  stage: Stage;
  /** What is done now, in words. */
  detail: string;
}
