import { CorruptDataError } from "@perdura/internals/errors/errors.js";
import { Stop } from "../core/stop.ts";

/** What is wrong with an archive that a caller of the library named, as an error that names it; any other error as it is. */
export function archiveError(error: unknown, archive: string): unknown {
  if (!(error instanceof Stop) || error.status === "interrupted") return error;
  const sentence = error.message.startsWith(archive) ? error.message : `${archive}: ${error.message}`;
  return new CorruptDataError(sentence, { path: archive, cause: error });
}
