import { basename } from "node:path";
import { lastBackup } from "../io/copy_database.ts";
import { inEarlierReports } from "./earlier_reports.ts";
import type { Discovery } from "../core/discovery.ts";

/** Endings of the names of databases, as far as a name can tell. */
export const DATABASE_NAME: RegExp = /\.(?:db|db3|sqlite|sqlite3)$/i;

const GIVEN_NAMES = "(?:metrics|patterns|interactions|empathy|attune|perdura)";
const ENDING = String.raw`\.(?:db|db3|sqlite|sqlite3)$`;

/** Names that programs with perdura, and those before it, give their databases. */
export const GIVEN_NAME: RegExp = new RegExp(`^${GIVEN_NAMES}${ENDING}`, "i");
/** The same as part of a longer name. */
const KNOWN_NAME = new RegExp(`(?:^|[^a-z])${GIVEN_NAMES}(?:[^a-z].*)?${ENDING}`, "i");

/** What is known of a file that does not begin as an SQLite database does. */
interface Suspect {
  /** The caller named this file, and not a directory that it lies in. */
  isTarget: boolean;
  hasBackup: boolean;
}

/**
 * Says what is wrong with a file that is most likely a database which cannot be read: damaged or encrypted.
 *
 * @returns Part of a sentence; undefined for a file that is likely something else.
 */
export function faultOfUnreadable(
  path: string,
  bytes: Uint8Array,
  { isTarget, hasBackup }: Suspect,
): string | undefined {
  if (bytes.length === 0) return hasBackup ? "it is empty (0 bytes)" : undefined;
  const [hasName, fault] = [DATABASE_NAME.test(path), faultOfHeader(bytes)];
  const isKnown = hasBackup || KNOWN_NAME.test(basename(path));
  const isNamed = isTarget && (hasName || !isText(bytes));
  if (isKnown || isNamed || (hasName && fault !== undefined))
    return fault ?? "it does not begin as one does; it is damaged, encrypted, or of another program";
  return undefined;
}

/** Bytes 21 to 23 of every database (SQLite file format, section 1.3). */
const FRACTIONS = Buffer.from([64, 32, 32]);

const MAGIC = Buffer.from("SQLite format 3\0");

function holdsMostOfMagic(bytes: Uint8Array): boolean {
  const equal = MAGIC.filter((byte, at) => bytes[at] === byte).length;
  return equal > MAGIC.length / 2;
}

function faultOfHeader(bytes: Uint8Array): string | undefined {
  if (bytes.every((byte) => byte === 0)) return "it begins with zeros, as after a power failure";
  const isHeader = Buffer.from(bytes.subarray(21, 24)).equals(FRACTIONS) || holdsMostOfMagic(bytes);
  return isHeader || bytes.subarray(0, 16).every((byte) => byte === 0) ? "its header is damaged" : undefined;
}

/** True for text in UTF-8, which may be cut off in the middle of a character. */
function isText(bytes: Uint8Array): boolean {
  try {
    return !new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true }).includes("\0");
  } catch {
    return false;
  }
}

/** Refuses the databases that cannot be read, and names the backup of each. */
export function refuseUnreadable(discovery: Discovery, backupDir: string | null): void {
  const { unreadable } = discovery;
  if (unreadable.size === 0) return;
  const { backups } = inEarlierReports(discovery, (path) => unreadable.has(path));
  for (const [path, fault] of unreadable) {
    const backup = lastBackup(path, backupDir, backups.get(path));
    const way =
      backup === undefined
        ? "Restore a copy of it, decrypt it, or move it away; then run this command again."
        : `Its backup is ${backup}. Stop the programs, move this file and its log away, and copy the backup to its place.`;
    discovery.refused.push({ path, reason: `It cannot be read: ${fault}. ${way}` });
  }
}
