/** What the child process can be asked to do with files; see {@link FileProcess} for why it does it. */
export type FileRequest =
  | { work: "headers"; paths: string[] }
  | { work: "copy"; from: string; to: string }
  | { work: "snapshot"; path: string; directory: string; timeoutMs: number }
  | { work: "hash"; path: string }
  | { work: "same"; left: string; right: string }
  | { work: "pages"; database: string; copy: string; schemaPages: number[] }
  | { work: "sync"; path: string };

/** The first bytes of a file; `null` for a file that could not be read. */
export interface Header {
  path: string;
  bytes: Uint8Array | null;
  error: string | null;
}

/** Whether the pages of a database and of its copy tell that no row was changed. */
export interface PageFinding {
  /** Null where they cannot tell: then the rows have to be compared. */
  equal: boolean | null;
  /** Why not, as part of a sentence; null where they are equal. */
  reason: string | null;
}

/** The answer to each request. */
export interface FileAnswers {
  headers: Header[];
  copy: null;
  /** False when the files kept changing while they were copied. */
  snapshot: boolean;
  hash: string;
  same: boolean;
  pages: PageFinding;
  sync: null;
}

/** Asks another child, which opens databases through SQLite only, for the first faults that SQLite finds. */
export interface CheckRequest {
  path: string;
  access: "read" | "query";
  busyTimeoutMs: number;
  faults: number;
}

/** Told every now and then how many bytes are done, and of how many. */
export type OnBytes = (done: number, total: number) => void;

/** What a child process is sent. */
interface Question<Request> {
  number: number;
  request: Request;
}

/** How an answer travels back; before it, how far work is that takes its time. */
export type Reply =
  | { number: number; done: number; total: number }
  | { number: number; answer: unknown }
  | { number: number; failure: { message: string; code: string | undefined } };

/** Makes this process answer its parent, one request after the other, and end with it. */
export function answerRequests<Request>(perform: (request: Request, onBytes: OnBytes) => unknown): void {
  // A parent that is gone wants no answer; without the callback that would be an error that nobody catches.
  const send = (reply: Reply): void => void process.send?.(reply, () => undefined);
  process.on("message", ({ number, request }: Question<Request>) => {
    try {
      send({ number, answer: perform(request, (done, total) => send({ number, done, total })) });
    } catch (error) {
      const { message, code } = error as NodeJS.ErrnoException;
      send({ number, failure: { message, code } });
    }
  });
  // Ctrl-C reaches the whole group; the parent decides when this process ends.
  process.on("SIGINT", () => undefined);
  process.on("disconnect", () => process.exit());
}
