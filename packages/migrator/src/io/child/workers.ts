import type { FileProcess } from "./file_process.ts";
import { HelperProcess } from "./helper_process.ts";

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
