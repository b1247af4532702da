import type { PageFinding } from "../pages/compare_pages.ts";

/** Requests for work on files; {@link FileProcess} explains why a child process does it. */
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
  error: { code: string | undefined; message: string } | null;
}

/** The answer type of each request. */
export interface FileAnswers {
  headers: Header[];
  copy: null;
  /** False if the files kept changing while they were copied. */
  snapshot: boolean;
  hash: string;
  same: boolean;
  pages: PageFinding;
  sync: null;
}

/** Request to another child, which opens databases through SQLite only, for the first faults that SQLite finds. */
export interface CheckRequest {
  path: string;
  intent: "copy" | "read";
  busyTimeoutMs: number;
  faults: number;
}

/** Called at intervals with the number of finished bytes and the total. */
export type OnBytes = (done: number, total: number) => void;

/** A message to a child process. */
interface Question<Request> {
  number: number;
  request: Request;
}

/** A message from a child process: an answer, or the progress of long work before it. */
export type Reply =
  | { number: number; done: number; total: number }
  | { number: number; answer: unknown }
  | { number: number; failure: { message: string; code: string | undefined } };

/** Makes this process answer its parent, one request after the other, and end with it. */
export function answerRequests<Request>(perform: (request: Request, onBytes: OnBytes) => unknown): void {
  // The parent may have ended; without the callback the error of `send` would be unhandled.
  const send = (reply: Reply): void => void process.send?.(reply, () => undefined);
  process.on("message", ({ number, request }: Question<Request>) => {
    try {
      send({ number, answer: perform(request, (done, total) => send({ number, done, total })) });
    } catch (error) {
      const { message, code } = error as NodeJS.ErrnoException;
      send({ number, failure: { message, code } });
    }
  });
  // Ctrl-C reaches the whole process group; the parent decides when this process ends.
  process.on("SIGINT", () => undefined);
  process.on("disconnect", () => process.exit());
}
