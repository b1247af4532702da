/** What the child process can be asked to do with files; see {@link FileProcess} for why it does it. */
export type FileRequest =
  | { work: "headers"; paths: string[] }
  | { work: "copy"; from: string; to: string }
  | { work: "snapshot"; paths: string[]; directory: string }
  | { work: "hash"; path: string }
  | { work: "same"; left: string; right: string }
  | { work: "sync"; path: string };

/** The first bytes of a file; `null` for a file that could not be read. */
export interface Header {
  path: string;
  bytes: Uint8Array | null;
  error: string | null;
}

/** The answer to each request. */
export interface FileAnswers {
  headers: Header[];
  copy: null;
  /** False when the files kept changing while they were copied. */
  snapshot: boolean;
  hash: string;
  same: boolean;
  sync: null;
}

/** How an answer travels back. */
export type FileReply =
  | { number: number; answer: unknown }
  | { number: number; failure: { message: string; code: string | undefined } };
