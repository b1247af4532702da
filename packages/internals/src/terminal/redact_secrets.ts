/**
 * `key:secret@` before a host. A secret may contain slashes and further `@`. Two names are kept, because readers of a
 * message need them: a name that certainly has no password, before a PostgreSQL server, and the container before an
 * account of Azure.
 */
const LOGIN =
  /(\b(?!postgres(?:ql)?:\/\/[\w.-]{1,63}@[^\s"'@]*(?:[\s"']|$)|az:\/\/[a-z0-9-]{3,63}@[a-z0-9]{3,24}\.)[a-z][a-z\d+.-]{0,30}:\/\/)(?:[^\s/"'@:]*:[^\s"']{0,4096}|[^\s/"']+)@/gi;
/** `…&sig=…`, as in signed addresses of Azure, S3 and Google, and `…;AccountKey=…`. */
const SIGNED =
  /((?:^|[?&;"']\s*)[\w.-]*(?:sig|signature|key|token|secret|password|credential)\s*=\s*)(?=[^\s&;"'…])[^\s&;"']+/gi;

/** Further places in which servers, SDKs and proxies repeat a secret, each with its replacement. */
const REPEATED: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN[^]*?(?:-----END[^-]*-----|$)/g, "…"],
  [/\b(Authorization|x-amz-security-token)(\s*[:=]\s*).*/gi, "$1$2…"],
  // Not replaced before ordinary words: "Bearer token expired".
  [
    /\b(SharedKey(?:Lite)?|Bearer|Basic)\s+(?!(?:auth\w*|tokens?|credentials?|scheme|realm|or|and|is|was|in|from|for)\b)[^\s"'<>]+/gi,
    "$1 …",
  ],
  [/(signature found in the HTTP request) '[^']*'/gi, "$1 '…'"],
  [
    /\b(AccountKey|SharedAccessSignature|sig|upload_id|access_token|refresh_token|assertion|subject_token|client_secret|Signature|Credential|X-(?:Amz|Goog)-(?:Signature|Security-Token|Credential))(\s*=\s*)[^\s&;,"'<>]+/gi,
    "$1$2…",
  ],
  [/\bya29\.[\w.-]+/g, "…"],
  [/\beyJ[\w-]+\.[\w-]+(?:\.[\w-]+)?/g, "…"],
];

/**
 * Removes secrets of addresses and credentials from text, because messages are written to logs.
 *
 * @param known Secrets that must not be shown anywhere. Occurrences within a longer word are kept: a secret `ad` does
 * not turn `loading` into `lo…ing`.
 */
export function redactSecrets(text: string, known: readonly string[] = []): string {
  const shown = known.reduce((before, secret) => before.replace(occurrencesOf(secret), "…"), text);
  return REPEATED.reduce(
    (before, [pattern, instead]) => before.replace(pattern, instead),
    shown.replace(LOGIN, "$1…@").replace(SIGNED, "$1…"),
  );
}

/** Matches a secret, both unchanged and as encoded in a URL. */
function occurrencesOf(secret: string): RegExp {
  const texts = [...new Set([secret, encodeURIComponent(secret.toWellFormed())])].filter((text) => text !== "");
  const alternatives = texts.map((text) => {
    const before = /^[\p{L}\p{N}_]/u.test(text) ? "(?<![\\p{L}\\p{N}_])" : "";
    const after = /[\p{L}\p{N}_]$/u.test(text) ? "(?![\\p{L}\\p{N}_])" : "";
    return `${before}${text.replace(/[$()*+./?[\\\]^{|}]/g, "\\$&")}${after}`;
  });
  return new RegExp(alternatives.length === 0 ? "(?!)" : alternatives.join("|"), "gu");
}

/**
 * Text before the only `@` of a text without a password: a container, a PostgreSQL user, a path, or an ordinary name.
 */
const HARMLESS_LOGIN =
  /^(?:az:\/\/[^:@]*|postgres(?:ql)?:\/\/[^:@]*|file:\/\/(?:localhost)?\/(?:[a-z]:\/)?(?!\/)[^:@]*|[^:@]*)$/i;

/**
 * True for text that looks like an address or a connection string with credentials, in any place and encoding. A
 * message must not repeat any part of it, because only its author knows where the secret ends.
 */
export function mayHoldSecret(text: string): boolean {
  const at = text.lastIndexOf("@");
  if (at >= 0 && !HARMLESS_LOGIN.test(text.slice(0, at))) return true;
  // Bucket names contain no colon, but an access key and its secret are separated by one.
  if (/^(?:s3|gs|az):\/*[^/?#]*:/i.test(text)) return true;
  return [text, decoded(text)].some((each) => each.search(SIGNED) >= 0);
}

/** Decodes escapes; invalid ones are kept. */
function decoded(text: string): string {
  return text.replace(/%([0-9a-f]{2})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
}
