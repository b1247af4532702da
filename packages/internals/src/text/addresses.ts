import { existsSync } from "node:fs";

/** True for text that begins like an address: as the name of a directory it would be a mistake. */
export function isAddress(path: string): boolean {
  return /^[a-z][a-z\d+.-]+:\/\//i.test(path);
}

/** The name of the scheme, perhaps behind a quotation mark, the name of a variable or `jdbc:`, and a colon or two slashes. */
const NEARLY_POSTGRES = /^\W*(?:\w+\s*=\W*|jdbc:)?postgres(?:ql)?(?:\+\w+)?\s*(?:[:;]|[.,]?\/\/)/i;
/** `name:password@`, not behind the letter of a drive of Windows. */
const LOGIN = /^(?![a-z]:[\\/])[^:]*:[^@]*@/is;
/** As in the connection strings of libpq and of clouds. */
const SECRET = /(?:^|[\s?&;])(?:\w*password|\w*passwd|pwd|AccountKey|SharedAccessSignature)\s*=/i;

/**
 * True for text that is not an address and is unlikely to be meant as a path: an address with a typing error, or a connection string of
 * another form. It may hold a password. What exists under such a name may be meant, unless it begins like an address of
 * PostgreSQL.
 */
export function isNearlyAddress(path: string): boolean {
  if (isAddress(path)) return false;
  if (NEARLY_POSTGRES.test(path) || isAddress(path.trimStart())) return true;
  return (LOGIN.test(path) || SECRET.test(path)) && !existsSync(path);
}

/** True for a place that is a PostgreSQL server. */
export function isPostgresAddress(path: string): boolean {
  return /^postgres(?:ql)?:\/\//i.test(path);
}
