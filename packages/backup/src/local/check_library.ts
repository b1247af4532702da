import { Worker } from "node:worker_threads";
import { statOf } from "@perdura/internals/files/stat_of.js";
import { checkLibraryJson } from "@perdura/internals/patterns/check_library_json.js";
import type { BackupFormat } from "../layout/versions.ts";
import { checkDatabase } from "./sqlite_copy.ts";

/** Size in bytes from which a check takes longer than the start of a thread. */
const LARGE = 4 << 20;

/**
 * Size of the thread's young generation in MB; a small one is enough, because most objects of a document are
 * short-lived.
 */
const YOUNG_MB = 8;

/** Input of the thread. */
export interface CheckWork {
  path: string;
  format: BackupFormat;
}

/**
 * Checks that a temporary file is a readable library. A large one is read in a thread, so that it does not block the
 * event loop, and the memory is released with the thread.
 *
 * @param shownAs The name of the file in errors.
 * @throws CorruptDataError and the errors of reading a library.
 */
export async function checkLibrary(
  path: string,
  format: BackupFormat,
  shownAs: string,
  signal?: AbortSignal,
): Promise<void> {
  if ((statOf(path)?.size ?? 0) >= LARGE && (await isIntactInThread({ path, format }, signal))) return;
  // Checked again in this thread, which throws the error.
  if (format === "sqlite") checkDatabase(path, shownAs);
  else checkLibraryJson(path, shownAs);
}

/** False also if no thread can be started. */
async function isIntactInThread(work: CheckWork, signal: AbortSignal | undefined): Promise<boolean> {
  signal?.throwIfAborted();
  const thread = started(work);
  if (thread === undefined) return false;
  const stop = (): void => void thread.terminate();
  signal?.addEventListener("abort", stop, { once: true });
  try {
    const isFine = await new Promise<boolean>((resolve, reject) => {
      thread.on("error", (error: NodeJS.ErrnoException) => {
        if (error.code?.endsWith("MODULE_NOT_FOUND") === true) reject(error);
        else resolve(false);
      });
      thread.on("exit", (code) => resolve(code === 0));
    });
    signal?.throwIfAborted();
    return isFine;
  } finally {
    signal?.removeEventListener("abort", stop);
    await thread.terminate();
  }
}

/** Undefined if the process may not start threads (`--permission`). */
function started(workerData: CheckWork): Worker | undefined {
  const isSource = import.meta.url.endsWith(".ts");
  const program = new URL(`./check_work.${isSource ? "ts" : "js"}`, import.meta.url);
  try {
    return new Worker(program, {
      workerData,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
      ...(isSource ? { execArgv: ["--conditions=@perdura/source"] } : {}),
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_ACCESS_DENIED") return undefined;
    throw error;
  }
}
