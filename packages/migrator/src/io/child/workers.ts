import { statSync } from "node:fs";
import { isProgram } from "@perdura/cli/interrupt.js";
import { closeUnlocked } from "@perdura/internals/files/guarded_file.js";
import { isOpenInProcess } from "@perdura/internals/files/open_files.js";
import { answerFileRequest } from "./file_requests.ts";
import { HelperProcess } from "./helper_process.ts";
import type { PageFinding } from "../pages/compare_pages.ts";
import type { FileAnswers, FileRequest, Header, OnBytes } from "./requests.ts";

/** Size of a database in bytes from which parallel work in other processes is faster. */
export const LARGE: number = 32 << 20;

/** Size of all files of a request in bytes up to which the work takes less time than the start of a process. */
const SMALL = 8 << 20;

/** The child processes of a run; each starts with its first request, unless it is started earlier. */
export interface Workers {
  readonly files: FileProcess;
  /** A second process, so that checksums are computed while files are copied. */
  readonly hashes: FileProcess;
  /** Runs SQLite's checks of databases while their rows are counted. */
  readonly checks: HelperProcess;
  /** The process for the checksum of a file: for a large file not the process that copies. */
  hasherOf(path: string): FileProcess;
}

/** Starts a helper process in which SQLite checks whole databases. */
export function helperForChecks(signal: AbortSignal | undefined): HelperProcess {
  return new HelperProcess(new URL("./check_work", import.meta.url), signal);
}

/**
 * Reads, copies and hashes database files in a child process. Closing any descriptor of a database file drops all POSIX
 * locks that this process holds on it, including SQLite's own: another process could then write during a migration. So
 * this process opens no file that may be a database except through SQLite. A program of ours does small work itself,
 * because it knows all of its connections.
 */
export class FileProcess {
  readonly #child: HelperProcess;

  /** @param signal Kills the process immediately when it is aborted; pending requests then fail with a {@link Stop}. */
  constructor(signal?: AbortSignal) {
    this.#child = new HelperProcess(new URL("./file_work", import.meta.url), signal);
  }

  /** Starts the process now, so that the next request does not wait for it. */
  start(): void {
    this.#child.start();
  }

  /** Reads the first 100 bytes of each file. */
  headers(paths: string[]): Promise<Header[]> {
    return paths.length === 0 ? Promise.resolve([]) : this.#ask({ work: "headers", paths });
  }

  /** Copies a file to a new name and syncs the copy. */
  copy(from: string, to: string, onBytes?: OnBytes): Promise<null> {
    return this.#ask({ work: "copy", from, to }, onBytes);
  }

  /** Copies a database with its journal and log into a directory; false if they kept changing until the time-out. */
  snapshot(path: string, directory: string, timeoutMs: number): Promise<boolean> {
    return this.#ask({ work: "snapshot", path, directory, timeoutMs });
  }

  /** Computes the SHA-256 in hexadecimal. */
  hash(path: string): Promise<string> {
    return this.#ask({ work: "hash", path });
  }

  /** True if both files contain the same database: the same bytes, except in unused pages. */
  same(left: string, right: string): Promise<boolean> {
    return this.#ask({ work: "same", left, right });
  }

  /** Checks if an uncommitted transaction left every row of the database as in the copy. */
  pages(database: string, copy: string, schemaPages: number[]): Promise<PageFinding> {
    return this.#ask({ work: "pages", database, copy, schemaPages });
  }

  /** Syncs the content of a file, so that it survives a power cut. */
  sync(path: string): Promise<null> {
    return this.#ask({ work: "sync", path });
  }

  /** Releases the child until the next request; pending requests fail. */
  rest(): void {
    this.#child.releaseChild();
  }

  /** Releases the child and closes all files. */
  close(): void {
    this.#child.close();
    closeUnlocked();
  }

  async #ask<Request extends FileRequest>(
    request: Request,
    onBytes: OnBytes = () => undefined,
  ): Promise<FileAnswers[Request["work"]]> {
    if (isProgram() && isSmall(request)) return answerFileRequest(request, onBytes) as FileAnswers[Request["work"]];
    return this.#child.ask(request, onBytes);
  }
}

/** True if this process can do the work as fast as another one, and without closing the files of its connections. */
function isSmall(request: FileRequest): boolean {
  switch (request.work) {
    case "headers":
      return true;
    case "snapshot":
      return !isOpenInProcess(request.path) && bytesOf(request.path, `${request.path}-wal`) <= SMALL;
    case "copy":
      return bytesOf(request.from) <= SMALL;
    case "same":
      return bytesOf(request.left, request.right) <= SMALL;
    case "pages":
      return bytesOf(request.database, request.copy, `${request.database}-journal`) <= SMALL;
    case "hash":
    case "sync":
      return bytesOf(request.path) <= SMALL;
  }
}

function bytesOf(...paths: string[]): number {
  return paths.reduce((sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0), 0);
}
