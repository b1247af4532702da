import { decodeName, encodeName } from "./library_names.ts";
import { isoOf, type Microseconds, stampOf, timeOf } from "./stamps.ts";

/** How a library is stored: as the JSON of specification section 4.1, or as an SQLite database. */
export type BackupFormat = "json" | "sqlite";

/** One backup of a library. */
export interface BackupVersion {
  /** The name of the library. */
  name: string;
  /** Names this backup among those of the library, for example `20261122T164310.123456Z-1a2b3c4d.json`. */
  version: string;
  /** When the reading of the library began: what was changed later may not be in it. ISO 8601 in UTC with six decimals. */
  created_at: string;
  /** What kind of file it is. */
  format: BackupFormat;
  /** Bytes. */
  size: number;
}

/** A version, and where it lies in its store. */
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

/** What the name of a version tells; undefined for any other text. */
export function readVersion(version: string): { time: Microseconds; digits: string; format: BackupFormat } | undefined {
  const match = VERSION.exec(version);
  if (match === null) return undefined;
  const [, stamp, digits, ending] = match as unknown as [string, string, string, string];
  const time = timeOf(stamp);
  if (time === undefined) return undefined;
  return { time, digits, format: ending === "db" ? "sqlite" : "json" };
}

/** Where a new version is put. */
export function keyOf(name: string, version: string): string {
  return `${encodeName(name)}/${version}`;
}

/** The version that lies there; undefined for objects of somebody else. */
export function versionAt(key: string, size: number): BackupVersion | undefined {
  const [folder, version, ...more] = key.split("/");
  if (folder === undefined || version === undefined || more.length > 0) return undefined;
  const name = decodeName(folder);
  const read = readVersion(version);
  if (name === undefined || read === undefined) return undefined;
  return { name, version, created_at: isoOf(read.time), format: read.format, size };
}
