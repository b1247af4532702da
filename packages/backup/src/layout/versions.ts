import { decodeName, encodeName } from "./library_names.ts";
import { isoOf, type Microseconds, stampOf, timeOf } from "./stamps.ts";

/** Format of a stored library: the JSON of specification section 4.1, or an SQLite database. */
export type BackupFormat = "json" | "sqlite";

/** One backup of a library. */
export interface BackupVersion {
  /** The name of the library. */
  name: string;
  /** Identifies this backup among those of the library, for example `20261122T164310.123456Z-1a2b3c4d.json`. */
  version: string;
  /**
   * Time at which the reading of the library began; later changes may not be included. ISO 8601 in UTC with six
   * decimals.
   */
  created_at: string;
  /** Format of the stored library. */
  format: BackupFormat;
  /** Size in bytes. */
  size: number;
}

/** A version and its key in the store. */
export interface StoredVersion {
  key: string;
  version: BackupVersion;
}

const ENDINGS = { json: "json", sqlite: "db" } as const;

/** The name of a version: its time, and the first digits of its SHA-256. */
export function versionName(time: Microseconds, sha256: string, format: BackupFormat): string {
  return `${stampOf(time)}-${sha256.slice(0, 8)}.${ENDINGS[format]}`;
}

const VERSION = /^(\d{8}T\d{6}\.\d{6}Z)-([0-9a-f]{8})\.(json|db)$/;

/** Parses the name of a version; undefined for any other text. */
export function readVersion(version: string): { time: Microseconds; digits: string; format: BackupFormat } | undefined {
  const match = VERSION.exec(version);
  if (match === null) return undefined;
  const [, stamp, digits, ending] = match as unknown as [string, string, string, string];
  const time = timeOf(stamp);
  if (time === undefined) return undefined;
  return { time, digits, format: ending === "db" ? "sqlite" : "json" };
}

/** Key of a new version. */
export function keyOf(name: string, version: string): string {
  return `${encodeName(name)}/${version}`;
}

/**
 * A key in the spelling of {@link keyOf}. Some file systems store names in lower case, and a copy of such a directory
 * has them, too.
 */
export function canonicalKey(key: string): string {
  return key
    .replaceAll(/%[0-9a-f]{2}/gi, (byte) => byte.toUpperCase())
    .replaceAll(/(?<=\/)\d{8}t\d{6}\.\d{6}z/g, (stamp) => stamp.toUpperCase());
}

/** The version at a key; undefined for foreign objects. */
export function versionAt(key: string, size: number): BackupVersion | undefined {
  const [folder, version, ...more] = canonicalKey(key).split("/");
  if (folder === undefined || version === undefined || more.length > 0) return undefined;
  const name = decodeName(folder);
  const read = readVersion(version);
  if (name === undefined || read === undefined) return undefined;
  return { name, version, created_at: isoOf(read.time), format: read.format, size };
}
