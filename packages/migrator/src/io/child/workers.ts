import { HelperProcess } from "./helper_process.ts";
import type { FileAnswers, FileRequest, Header, OnBytes, PageFinding } from "./requests.ts";

/** Bytes of a database from which on it is worth while to start other processes, so that its parts are done side by side. */
export const LARGE: number = 32 << 20;

/** The child processes of a run; each starts with its first request. */
export interface Workers {
  readonly files: FileProcess;
  /** Another one, so that checksums are made while files are copied. */
  readonly hashes: FileProcess;
  /** Lets SQLite check databases while their rows are counted. */
  readonly checks: HelperProcess;
  /** Does half of the work on directories of states. */
  readonly states: HelperProcess;
  /** Computes the checksum of a file: another process than the one that copies, where the file is big enough for that. */
  hasherOf(path: string): FileProcess;
}

/** A helper process that lets SQLite check whole databases. */
export function helperForChecks(signal: AbortSignal | undefined): HelperProcess {
  return new HelperProcess(new URL("./check_work", import.meta.url), signal);
}

/**
 * Reads, copies and hashes database files in a child process. Closing any descriptor of a database file drops all POSIX
 * locks that this process holds on it, SQLite's own included: another process could then write into the middle of a
 * migration. So no file that may be a database is ever opened here except by SQLite itself.
 */
export class FileProcess {
  readonly #child: HelperProcess;

  /** @param signal Ends the process at once when it is aborted; what was asked is then answered with a {@link Stop}. */
  constructor(signal?: AbortSignal) {
    this.#child = new HelperProcess(new URL("./file_work", import.meta.url), signal);
  }

  /** The first 100 bytes of each file. */
  headers(paths: string[]): Promise<Header[]> {
    return paths.length === 0 ? Promise.resolve([]) : this.#ask({ work: "headers", paths });
  }

  /** Copies a file to a new name and syncs the copy. */
  copy(from: string, to: string, onBytes?: OnBytes): Promise<null> {
    return this.#ask({ work: "copy", from, to }, onBytes);
  }

  /** Copies a database with its journal and log into a directory; false when they would not hold still in time. */
  snapshot(path: string, directory: string, timeoutMs: number): Promise<boolean> {
    return this.#ask({ work: "snapshot", path, directory, timeoutMs });
  }

  /** SHA-256 in hexadecimal. */
  hash(path: string): Promise<string> {
    return this.#ask({ work: "hash", path });
  }

  /** True when both files hold the same database: the same bytes, except in pages that hold nothing. */
  same(left: string, right: string): Promise<boolean> {
    return this.#ask({ work: "same", left, right });
  }

  /** Whether a transaction that is not committed yet left every row of the database as it is in the copy. */
  pages(database: string, copy: string, schemaPages: number[]): Promise<PageFinding> {
    return this.#ask({ work: "pages", database, copy, schemaPages });
  }

  /** Makes the content of a file survive a power cut. */
  sync(path: string): Promise<null> {
    return this.#ask({ work: "sync", path });
  }

  /** Ends the child until the next request; what it was asked is answered with an error. */
  rest(): void {
    this.#child.rest();
  }

  /** Ends the child. */
  close(): void {
    this.#child.close();
  }

  #ask<Request extends FileRequest>(request: Request, onBytes?: OnBytes): Promise<FileAnswers[Request["work"]]> {
    return this.#child.ask(request, onBytes);
  }
}
