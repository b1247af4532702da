import { existsSync } from "node:fs";

/** True for text that begins like an address; as the name of a directory it would be a mistake. */
export function isAddress(path: string): boolean {
  return /^[a-z][a-z\d+.-]+:\/\//i.test(path);
}

/**
 * The name of the scheme, possibly after a quotation mark, a variable name or `jdbc:`, followed by a colon or two
 * slashes.
 */
const MISTYPED_POSTGRES = /^\W*(?:\w+\s*=\W*|jdbc:)?postgres(?:ql)?(?:\+\w+)?\s*(?:[:;]|[.,]?\/\/)/i;
/** `name:password@`, but not after a Windows drive letter. */
const LOGIN = /^(?![a-z]:[\\/])[^:]*:[^@]*@/is;
/** Settings in the connection strings of libpq and of clouds that contain a secret. */
const SECRET = /(?:^|[\s?&;])(?:\w*password|\w*passwd|pwd|AccountKey|SharedAccessSignature)\s*=/i;

/**
 * True for text that is not an address but is probably not a path either: an address with a typing error, or another
 * form of connection string. It may contain a password. A path that exists is accepted, unless it begins like a
 * PostgreSQL address, or with blanks before an address.
 */
export function isMistypedAddress(path: string): boolean {
  if (isAddress(path)) return false;
  if (MISTYPED_POSTGRES.test(path) || isAddress(path.trimStart())) return true;
  return (LOGIN.test(path) || SECRET.test(path)) && !existsSync(path);
}

/** True for the address of a PostgreSQL server. */
export function isPostgresAddress(path: string): boolean {
  return /^postgres(?:ql)?:\/\//i.test(path);
}
