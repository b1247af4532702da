import { closeSync, openSync, readSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";

/** Names that only state directories of the field's programs have. */
const KNOWN_NAMES = ["empathy_state", "attune_state"];

/** Directories and files whose JSON looks like a state and is none. */
const LOOK_ALIKE_DIRECTORY = /^(?:sessions|compact_states)$/;
const LOOK_ALIKE_FILE = /^session_.*\.json$/;

/** How much of a file is read, and of how many files, to see whether they are states. */
const HEAD = 1 << 16;
const SAMPLES = 100;

/** True for a directory of a name that only state directories have. */
export function hasStateName(path: string): boolean {
  return KNOWN_NAMES.includes(basename(path));
}

/** True when a directory holds collaboration states: by its name, or by what its JSON files hold. */
export function isStateDirectory(path: string): boolean {
  const names = readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".json") && !LOOK_ALIKE_FILE.test(entry.name))
    .map((entry) => entry.name);
  if (hasStateName(path)) return true;
  if (names.length === 0 || LOOK_ALIKE_DIRECTORY.test(basename(path))) return false;
  return basename(path) === "state" || names.slice(0, SAMPLES).some((name) => looksLikeState(join(path, name)));
}

/** Every state has these two keys, in the specification and in the field; a file that was cut in half may have them still. */
function looksLikeState(path: string): boolean {
  const text = headOf(path);
  return /^\s*\{/.test(text) && text.includes('"trust_level"') && text.includes('"user_id"');
}

/** The beginning of a text file; empty where it cannot be read. */
export function headOf(path: string): string {
  const head = Buffer.alloc(HEAD);
  try {
    const descriptor = openSync(path, "r");
    try {
      return head.toString("utf8", 0, readSync(descriptor, head, 0, HEAD, 0)).replace(/^\ufeff/, "");
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return "";
  }
}
