import { Worker } from "node:worker_threads";
import { statOf } from "@perdura/internals/files/stat_of.js";
import { checkLibraryJson } from "@perdura/internals/patterns/json_load.js";
import type { BackupFormat } from "../layout/versions.ts";
import { checkDatabase } from "./sqlite_copy.ts";

/** From so many bytes on a check takes longer than the start of a thread. */
const LARGE = 4 << 20;

/** What a thread may have for objects that have just come up, in MB: most of a document is given up at once. */
const YOUNG_MB = 8;

/** What the thread is told. */
export interface CheckWork {
  path: string;
  format: BackupFormat;
}

/**
 * Makes sure that a file of ours is a library that can be read. A large one is read in a thread, so that the event loop turns
 * meanwhile, and what that takes of memory goes with the thread.
 *
 * @param shownAs The name of the file in errors.
 * @throws CorruptDataError and what reading the library throws.
 */
export async function checkLibrary(
  path: string,
  format: BackupFormat,
  shownAs: string,
  signal?: AbortSignal,
): Promise<void> {
  if ((statOf(path)?.size ?? 0) >= LARGE && (await isFineApart({ path, format }, signal))) return;
  // What is wrong is said by an error of this thread: it looks once more.
  if (format === "sqlite") checkDatabase(path, shownAs);
  else checkLibraryJson(path, shownAs);
}

/** False also where no thread can be had. */
async function isFineApart(work: CheckWork, signal: AbortSignal | undefined): Promise<boolean> {
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

/** Undefined where the process may have no threads (`--permission`). */
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
