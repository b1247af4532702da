import { createHash } from "node:crypto";

/**
 * Names of state files (ruling U-state-file). A user id that is a safe and portable file name is its own name; any other
 * is percent-encoded byte by byte, so that no id can leave the directory, collide with another (on a file system that
 * ignores case or normalises Unicode either) or be lost. Escapes are lower case and only where needed, which makes the
 * form canonical: a name is an encoded one exactly when encoding what it decodes to gives the name again. Names that
 * are not canonical are raw ids of the older programs.
 */

/** Ends every state file. */
export const STATE_SUFFIX = ".json";

/** Ends the companion of a digest name; it holds the id. */
export const ID_SUFFIX = ".id";

/** Longest encoded name in bytes, without the suffix; file systems hold 255. */
const MAX_NAME = 200;

/** Begins the name of an id that is too long for a file name. `~` never follows `%` in an encoded name. */
const DIGEST_PREFIX = "%~";

/** Begins the second name of an id. `_` never follows a leading `%` in an encoded name. */
const SECOND_PREFIX = "%_";

/** Letters are lower case only: `Alice` and `alice` would be one file on half of the world's machines. */
const SAFE = /[a-z0-9 _.@+=,~-]/;

/** Names that Windows gives to devices, with or without an extension. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9]|conin\$|conout\$|clock\$)(?=$|[. ])/i;

/** The file name, without suffix, for a user id. Ids over the limit get a digest, see {@link isDigestName}. */
export function encodeUserId(userId: string): string {
  const encoded = percentEncode(userId);
  return encoded.length <= MAX_NAME ? encoded : digestName(userId);
}

/** The digest name of a long id. The id itself is in a file of this name ending in `.id`. */
export function digestName(userId: string): string {
  return `${DIGEST_PREFIX}${createHash("sha256").update(userId).digest("hex")}`;
}

/**
 * A name for an id whose encoded name leads to the file of another: to `Alice.json`, named by an older program, for `alice`
 * on a file system that ignores case.
 */
export function secondName(userId: string): string {
  return `${SECOND_PREFIX}${encodeUserId(userId)}`;
}

/** True for names that stand for an id which does not fit into a name. */
export function isDigestName(name: string): boolean {
  return /^%~[0-9a-f]{64}$/.test(name);
}

/** The user id that a file name (without suffix) stands for; a digest name cannot tell and is not asked. */
export function decodeUserId(name: string): string {
  const encoded = name.startsWith(SECOND_PREFIX) ? name.slice(SECOND_PREFIX.length) : name;
  const decoded = percentDecode(encoded);
  return encodeUserId(decoded) === encoded ? decoded : name;
}

function percentEncode(userId: string): string {
  const characters = [...userId];
  const last = characters.length - 1;
  const device = DEVICE.test(userId);
  return characters
    .map((character, index) => {
      const exposed =
        (index === 0 && (character === "." || character === "%" || device)) ||
        (index === last && (character === "." || character === " ")) ||
        (character === "%" && looksLikeEscape(characters, index));
      return (SAFE.test(character) || character === "%") && !exposed ? character : escapeBytes(character);
    })
    .join("");
}

/** A `%` before two hexadecimal digits would read as an escape. */
function looksLikeEscape(characters: string[], index: number): boolean {
  return /[0-9a-f]{2}/i.test(characters.slice(index + 1, index + 3).join(""));
}

function escapeBytes(character: string): string {
  return [...Buffer.from(character)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");
}

/** Decodes the escapes of a name. The result for a name that is not canonical does not encode to it. */
function percentDecode(name: string): string {
  const bytes = name.replaceAll(/%([0-9a-f]{2})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
  return Buffer.from(bytes, "latin1").toString();
}
