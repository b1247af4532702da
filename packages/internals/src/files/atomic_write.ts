import { storageErrorOf, withStorage } from "../errors/storage_errors.ts";
import { Replacement, type ReplacementOptions } from "./replacement.ts";

/** Puts bytes into a file that is being written. */
export type Write = (chunk: string | Uint8Array) => void;

/**
 * Replaces a file so that a reader, a crash or a power cut sees the old content or the new content, never a mixture:
 * a temporary file beside it, synced, renamed over it, directory synced. A failure leaves the old file and nothing else.
 * A symbolic link stays a link; the file it points to is replaced. Mode and owner of an existing file are kept.
 *
 * @param produce Writes the content through the function that it is given.
 * @throws StorageError naming the file; what `produce` throws passes unchanged.
 */
export function writeFileAtomically(
  path: string,
  produce: (write: Write) => void,
  options: ReplacementOptions = {},
): void {
  withStorage(path, "saving", () => {
    const replacement = new Replacement(path, options);
    try {
      produce((chunk) => replacement.write(chunk));
      replacement.finish();
    } catch (error) {
      replacement.abandon();
      throw error;
    }
  });
}

/** Does as {@link writeFileAtomically} with what comes from somewhere else, a piece at a time. */
export async function writeFileAtomicallyInTurn(
  path: string,
  produce: (write: Write) => Promise<void>,
  options: ReplacementOptions = {},
): Promise<void> {
  const replacement = withStorage(path, "saving", () => new Replacement(path, options));
  try {
    await produce((chunk) => withStorage(path, "saving", () => replacement.write(chunk)));
    replacement.finish();
  } catch (error) {
    replacement.abandon();
    throw storageErrorOf(error, path, "saving");
  }
}
