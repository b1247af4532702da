import { storageErrorOf, withStorage } from "./storage_errors.ts";
import type { FileVersion } from "./file_version.ts";
import { Replacement, type ReplacementOptions } from "./replacement.ts";

/** Puts bytes into a file that is being written. */
export type Write = (chunk: string | Uint8Array) => void;

/**
 * Replaces a file atomically: readers, also after a crash or a power cut, see the old content or the new content, never
 * a mixture. Writes a temporary file next to it, syncs it, renames it over the file, and syncs the directory. After a
 * failure the old file is unchanged and the temporary file is removed. A symbolic link stays a link; the file that it
 * points to is replaced. Mode and owner of an existing file are kept.
 *
 * @param produce Writes the content with the function that it gets.
 * @returns The version of the new file.
 * @throws StorageError that names the file; errors of `produce` are passed on unchanged.
 */
export function writeFileAtomically(
  path: string,
  produce: (write: Write) => void,
  options: ReplacementOptions = {},
): FileVersion {
  return withStorage(path, "saving", () => {
    const replacement = new Replacement(path, options);
    try {
      produce((chunk) => replacement.write(chunk));
      return replacement.finish();
    } catch (error) {
      replacement.abandon();
      throw error;
    }
  });
}

/** Works like {@link writeFileAtomically}, for content that arrives in pieces from an asynchronous source. */
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
