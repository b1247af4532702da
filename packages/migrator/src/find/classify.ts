import { lstatSync } from "node:fs";
import { basename } from "node:path";
import { isAppleDouble } from "@perdura/internals/files/apple_double.js";
import { realPathOf } from "@perdura/internals/files/exact_names.js";
import { orphanedLog } from "@perdura/internals/sqlite/orphaned_log.js";
import { isLogWithData } from "@perdura/internals/sqlite/logs.js";
import { isArchive } from "../archive/format/open_archive.ts";
import type { Discovery } from "../core/discovery.ts";
import type { FileLeftAlone } from "../core/report.ts";
import type { Header } from "../io/child/requests.ts";
import { lastBackup } from "../io/copy_database.ts";
import { namesOfFile } from "@perdura/internals/files/hard_links.js";
import { isMountPoint } from "../io/mount_points.ts";
import { hasPatternList, headOf, isLibraryHead } from "../io/json_head.ts";
import {
  databaseOfBackup,
  directoryOfArchive,
  isBackupElsewhere,
  isReport,
  LOOKALIKE_REASONS,
  OWN_REASONS,
  ownKind,
  type OwnKind,
  SIDE_FILE,
} from "../io/own_files.ts";
import { faultOfLibrary } from "./library_fault.ts";
import { inEarlierReports } from "./earlier_reports.ts";

/** The first bytes of a database (SQLite file format, section 1.3). */
const MAGIC = Buffer.from("SQLite format 3\0");

/** The perdura-migrate files that are databases. */
const DATABASE_KINDS: ReadonlySet<OwnKind> = new Set(["backup", "archive"]);

/** Facts about a file in addition to its header. */
interface Place {
  /** True for a symbolic link that leads out of the target. */
  link: boolean;
  inStates: boolean;
  isTarget: boolean;
  /** All files that were found. */
  siblings: Set<string>;
  /** Databases with a backup next to them. */
  backedUp: ReadonlySet<string>;
  backupDir: string | null;
}

/** Classifies a file as a database, or as a file to leave alone or refuse, with the reason. */
export function classifyFile(header: Header, place: Place, discovery: Discovery): void {
  const { path } = header;
  const own = ownKind(basename(path));
  const beside = SIDE_FILE.test(path) && place.siblings.has(path.replace(SIDE_FILE, ""));
  if (header.bytes === null) {
    // Another program may remove and recreate a journal or a temporary file at any time, and another run may prune
    // states.
    if ((beside || own === "temporary" || place.inStates) && header.error?.code === "ENOENT") return;
    discovery.refused.push({ path, reason: `Cannot read the file: ${header.error?.message}.` });
    return;
  }
  if (own !== "temporary" && isOrphanedLog(path)) {
    discovery.refused.push({ path, reason: ORPHANED_LOG });
    return;
  }
  if (isAppleDouble(basename(path), header.bytes)) {
    if (!place.inStates) discovery.leftAlone.push({ path, reason: APPLE_DOUBLE });
    return;
  }
  const isDatabase = isDatabaseHeader(header.bytes);
  // A user's state may have such a name.
  const isOurs = own !== undefined && (!place.inStates || isDatabase || !DATABASE_KINDS.has(own));
  if (isOurs) discovery.own.push(path);
  if (place.link) classifyLink(path, isDatabase, discovery);
  else if (own === undefined && isDatabase) addDatabase(path, header.bytes, discovery);
  else if (isUnreadable(header.bytes, path, place, own, discovery)) return;
  else if (!beside && !place.inStates) {
    if (own === undefined && isLibrary(path, place)) discovery.libraries.push(path);
    discovery.leftAlone.push({ path, ...describeFile(path, header.bytes, isDatabase, place) });
  } else if (own === "temporary") {
    // A temporary file without an active process may be a user's file that only has such a name.
    discovery.leftAlone.push({ path, reason: "a temporary file by its name; not archived" });
  }
}

export const isDatabaseHeader = (bytes: Uint8Array): boolean => MAGIC.equals(bytes.subarray(0, MAGIC.length));

const ORPHANED_LOG =
  "A log with data whose database is missing or empty. SQLite deletes such a log as soon as a program creates a database with that name. Put the database back next to the log, or move the log to another directory.";

/** True for a log or journal with data whose database is missing or empty. */
function isOrphanedLog(path: string): boolean {
  if (!SIDE_FILE.test(path)) return false;
  return orphanedLog(path.replace(SIDE_FILE, "")) !== undefined && isLogWithData(path);
}

const APPLE_DOUBLE = "attributes that macOS keeps for the file next to it (AppleDouble); not data";

const JSON_NAME = /\.json$/i;

/** A damaged or encrypted database is not part of the states, and must not be skipped. */
function isUnreadable(
  bytes: Uint8Array,
  path: string,
  place: Place,
  own: OwnKind | undefined,
  discovery: Discovery,
): boolean {
  const { isTarget, backedUp, backupDir } = place;
  if (JSON_NAME.test(path)) return isLostLibrary(path, bytes, own, place, discovery);
  if (own === undefined && isLibrary(path, place)) return false;
  const isOther = SIDE_FILE.test(path) || (own !== undefined && !(isTarget && DATABASE_KINDS.has(own)));
  if (isOther || isDatabaseHeader(bytes)) return false;
  const isSuspect = isTarget || DATABASE_NAME.test(path);
  const hasBackup = backedUp.has(path) || (isSuspect && lastBackup(path, backupDir) !== undefined);
  const fault = faultOfUnreadable(path, bytes, { isTarget, hasBackup });
  if (fault === undefined) return false;
  discovery.unreadable.set(path, fault);
  return true;
}

function classifyLink(path: string, isDatabase: boolean, discovery: Discovery): void {
  if (!isDatabase)
    discovery.leftAlone.push({ path, reason: "a symbolic link that points outside the target; not followed" });
  else
    discovery.refused.push({
      path,
      reason: `A symbolic link to a database outside the target. Specify ${realPathOf(path)} as a target, or remove the link.`,
    });
}

function addDatabase(path: string, header: Uint8Array, discovery: Discovery): void {
  const wal = header[18] === 2 || header[19] === 2;
  discovery.databases.push({ path, bytes: lstatSync(path).size, wal, refusal: refusalOfNames(path) });
}

/** The reason why a database with several names cannot be changed; null if it has one. */
function refusalOfNames(path: string): string | null {
  const names = namesOfFile(path);
  if (names > 1)
    return `The database file has ${names} hard links. SQLite keeps its journal next to one of them only, so a crash could corrupt the database. Keep one link, then run this command again.`;
  if (isMountPoint(path))
    return "The database file is a mount point. SQLite keeps its journal next to this name only, so a crash could corrupt the database for programs that open the mounted file elsewhere. Run this command there, or bind its directory instead of the single file.";
  return null;
}

type Description = Omit<FileLeftAlone, "path">;

function describeFile(path: string, header: Uint8Array, isDatabase: boolean, place: LibraryPlace): Description {
  const own = ownKind(basename(path));
  if (own === undefined) return { reason: reasonFor(path, header, place) };
  if (own !== "temporary" && !isOwn[own](path, isDatabase)) return { reason: LOOKALIKE_REASONS[own] };
  return place.isTarget ? describeNamed(own, path) : describeOwn(own);
}

export function describeOwn(made: OwnKind): Description {
  return { reason: OWN_REASONS[made], made };
}

function reasonFor(path: string, header: Uint8Array, place: LibraryPlace): string {
  if (isLibrary(path, place)) return "a pattern library in JSON; nothing to do, because 16 has the same format";
  if (header.length === 0 && (DATABASE_NAME.test(path) || JSON_NAME.test(path))) return "an empty file (0 bytes)";
  if (DATABASE_NAME.test(path)) return "not an SQLite database, despite its name";
  return "not data of perdura";
}

/** A backup or archive that the caller named is described. */
function describeNamed(own: OwnKind, path: string): Description {
  const source = own === "archive" ? directoryOfArchive(path) : databaseOfBackup(path);
  if (source === path) return describeOwn(own);
  const of = isBackupElsewhere(path)
    ? `a file ${basename(source)} in another directory`
    : `${source}; specify that path instead`;
  return { reason: `${OWN_REASONS[own]}, made of ${of}` };
}

type LibraryPlace = Pick<Place, "isTarget" | "backedUp" | "backupDir">;

/** A file that the caller names can have any name. A library without patterns is known by its backup. */
function isLibrary(path: string, { isTarget, backedUp, backupDir }: LibraryPlace): boolean {
  if (!isTarget && !JSON_NAME.test(path) && !backedUp.has(path)) return false;
  const head = headOf(path);
  if (isLibraryHead(head)) return true;
  return hasPatternList(head) && (backedUp.has(path) || lastBackup(path, backupDir) !== undefined);
}

/** A file with a library's backup was a library; others are known by their names and keys. */
function isLostLibrary(
  path: string,
  bytes: Uint8Array,
  own: OwnKind | undefined,
  place: Place,
  discovery: Discovery,
): boolean {
  if (isLibrary(path, { ...place, isTarget: true })) return false;
  const fault = own === undefined && !place.inStates ? faultOfLibrary(path, bytes, place.isTarget) : undefined;
  if (fault === undefined && !place.backedUp.has(path)) return false;
  discovery.unreadable.set(path, fault ?? "it does not begin like a pattern library");
  return true;
}

/** True for a file with this content, by kind of its name, which alone is not sufficient. */
export const isOwn: Record<Exclude<OwnKind, "temporary">, (path: string, isDatabase: boolean) => boolean> = {
  backup: (path, isDatabase) => isDatabase || isLibraryHead(headOf(path)),
  archive: (path, isDatabase) => isDatabase && isArchive(path),
  report: isReport,
};

/** Usual suffixes of database names. */
export const DATABASE_NAME: RegExp = /\.(?:db|db3|sqlite|sqlite3)$/i;

const GIVEN_NAMES = "(?:metrics|patterns|interactions|empathy|attune|perdura)";

const ENDING = String.raw`\.(?:db|db3|sqlite|sqlite3)$`;

/** Names that programs with perdura, and their predecessors, give to databases. */
export const GIVEN_NAME: RegExp = new RegExp(`^${GIVEN_NAMES}${ENDING}`, "i");

/** Such a name as part of a longer name. */
const KNOWN_NAME = new RegExp(`(?:^|[^a-z])${GIVEN_NAMES}(?:[^a-z].*)?${ENDING}`, "i");

/** Facts about a file that does not begin with SQLite's magic bytes. */
interface Suspect {
  /** True if the caller named this file, not a directory that contains it. */
  isTarget: boolean;
  hasBackup: boolean;
}

/**
 * Describes the fault of a file that is probably an unreadable database: damaged or encrypted.
 *
 * @returns Part of a sentence; undefined for a file that is probably not a database.
 */
function faultOfUnreadable(path: string, bytes: Uint8Array, { isTarget, hasBackup }: Suspect): string | undefined {
  if (bytes.length === 0) return hasBackup ? "it is empty (0 bytes)" : undefined;
  const [hasName, fault] = [DATABASE_NAME.test(path), faultOfHeader(bytes)];
  const isKnown = hasBackup || KNOWN_NAME.test(basename(path));
  const isNamed = isTarget && (hasName || !isText(bytes));
  if (isKnown || isNamed || (hasName && fault !== undefined))
    return fault ?? "it does not begin like an SQLite database; it is damaged, encrypted, or from another program";
  return undefined;
}

/** Bytes 21 to 23 of every database (SQLite file format, section 1.3). */
const FRACTIONS = Buffer.from([64, 32, 32]);

function faultOfHeader(bytes: Uint8Array): string | undefined {
  if (bytes.every((byte) => byte === 0)) return "it begins with zeros, which a power failure can cause";
  const isHeader = Buffer.from(bytes.subarray(21, 24)).equals(FRACTIONS) || holdsMostOfMagic(bytes);
  return isHeader || bytes.subarray(0, 16).every((byte) => byte === 0) ? "its header is damaged" : undefined;
}

function holdsMostOfMagic(bytes: Uint8Array): boolean {
  const equal = MAGIC.filter((byte, at) => bytes[at] === byte).length;
  return equal > MAGIC.length / 2;
}

/** True for UTF-8 text, which may end within a character. */
function isText(bytes: Uint8Array): boolean {
  try {
    return !new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true }).includes("\0");
  } catch {
    return false;
  }
}

/** Refuses unreadable databases, and names the backup of each. */
export function refuseUnreadable(discovery: Discovery, backupDir: string | null): void {
  const { unreadable } = discovery;
  if (unreadable.size === 0) return;
  const { backups } = inEarlierReports(discovery, (path) => unreadable.has(path));
  for (const [path, fault] of unreadable) {
    const backup = lastBackup(path, backupDir, backups.get(path));
    const way =
      backup === undefined
        ? JSON_NAME.test(path)
          ? "Version 16 cannot read it as a pattern library. Correct it, restore it from a copy, or move it to another directory, then run this command again."
          : "Restore it from a copy, decrypt it, or move it to another directory, then run this command again."
        : `Its backup is ${backup}. Stop the programs that use the database, move this file and its log to another directory, and copy the backup to this path.`;
    discovery.refused.push({ path, reason: `Cannot read the file: ${fault}. ${way}` });
  }
}
