import { createHash } from "node:crypto";

/**
 * Names of state files (ruling U-state-file). A user id that is a safe and portable file name is used unchanged. Any
 * other id is percent-encoded byte by byte, so that no file is outside of the directory, and no two ids share a file,
 * even if the file system ignores case or normalises Unicode. Escapes are in lower case and only used if needed, so
 * each id has one canonical name: a name is canonical if decoding and encoding it returns the same name. Other names
 * are raw ids of older programs.
 */

/** Suffix of every state file. */
export const STATE_SUFFIX = ".json";

/** Suffix of the companion file of a digest name, which contains the id. */
export const ID_SUFFIX = ".id";

/** Maximum length of an encoded name in bytes, without the suffix; file systems allow 255 bytes. */
const MAX_NAME = 200;

/** Prefix of the name of an id that is too long for a file name. `~` never follows `%` in an encoded name. */
const DIGEST_PREFIX = "%~";

/** Prefix of the second name of an id. `_` never follows a leading `%` in an encoded name. */
const SECOND_PREFIX = "%_";

/**
 * Characters that are not escaped. Letters are lower case only: `Alice` and `alice` are the same file if a file system
 * ignores case.
 */
const SAFE = /[a-z0-9 _.@+=,~-]/;

/** Device names of Windows, with or without an extension. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9]|conin\$|conout\$|clock\$)(?=$|[. ])/i;

/** The file name, without suffix, of a user id. An id that is too long gets a digest, see {@link isDigestName}. */
export function encodeUserId(userId: string): string {
  const encoded = percentEncode(userId);
  return encoded.length <= MAX_NAME ? encoded : digestName(userId);
}

/** The digest name of a long id. The file with this name and the suffix `.id` contains the id. */
export function digestName(userId: string): string {
  return `${DIGEST_PREFIX}${createHash("sha256").update(userId).digest("hex")}`;
}

/**
 * Another name for an id whose encoded name leads to the file of another user: on a file system that ignores case,
 * `alice` leads to `Alice.json` of an older program.
 */
export function secondName(userId: string): string {
  return `${SECOND_PREFIX}${encodeUserId(userId)}`;
}

/** True for the digest name of an id that is too long for a file name. */
export function isDigestName(name: string): boolean {
  return /^%~[0-9a-f]{64}$/.test(name);
}

/**
 * The user id of a state file, by its name (without suffix), which must not be a digest name, and by its document: if the
 * name looks like an escape, the document may state that it is the literal id; if it is decomposed Unicode, as on HFS+,
 * the document may state the composed id; where the file system ignores case, it may have stored the name in lower case.
 *
 * @param written Reads the `user_id` of the document, see `writtenUserId`; called only if it matters.
 * @param ignoresCase True if another spelling of the name leads to a file; called only if it matters.
 */
export function userIdOf(name: string, written: () => unknown, ignoresCase: () => boolean): string {
  const decoded = decodeUserId(name);
  const isLowerCased = name === name.toLowerCase() && ignoresCase();
  if (decoded === name && name.normalize() === name && !isLowerCased) return name;
  const id = written();
  const stored = (each: string): string => (isLowerCased ? each.toLowerCase() : each).normalize();
  return typeof id === "string" && stored(id) === stored(name) ? id : decoded;
}

/** The user id that is encoded in a file name (without suffix), which must not be a digest name. */
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

/** True if a `%` is followed by two hexadecimal digits, which would look like an escape. */
function looksLikeEscape(characters: string[], index: number): boolean {
  return /[0-9a-f]{2}/i.test(characters.slice(index + 1, index + 3).join(""));
}

function escapeBytes(character: string): string {
  return [...Buffer.from(character)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");
}

/** Decodes the escapes of a name. If the name is not canonical, encoding the result does not return it. */
function percentDecode(name: string): string {
  const bytes = name.replaceAll(/%([0-9a-f]{2})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
  return Buffer.from(bytes, "latin1").toString();
}
