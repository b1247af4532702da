/**
 * `key:secret@` before a host; a secret may have slashes and further `@`. A name without a password stays where it is one for
 * certain, before a PostgreSQL server, and so does the container before an account of Azure: readers of the message need both.
 */
const LOGIN =
  /(\b(?!postgres(?:ql)?:\/\/[\w.-]{1,63}@[^\s"'@]*(?:[\s"']|$)|az:\/\/[a-z0-9-]{3,63}@[a-z0-9]{3,24}\.)[a-z][a-z\d+.-]{0,30}:\/\/)(?:[^\s/"'@:]*:[^\s"']{0,4096}|[^\s/"']+)@/gi;
/** `…&sig=…`, as the signed addresses of Azure, S3 and Google have them, and `…;AccountKey=…`. */
const SIGNED =
  /((?:^|[?&;"']\s*)[\w.-]*(?:sig|signature|key|token|secret|password|credential)\s*=\s*)(?=[^\s&;"'…])[^\s&;"']+/gi;

/** Further places where servers, SDKs and proxies repeat a secret, each with what is shown instead. */
const REPEATED: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN[^]*?(?:-----END[^-]*-----|$)/g, "…"],
  [/\b(Authorization|x-amz-security-token)(\s*[:=]\s*).*/gi, "$1$2…"],
  // Followed by a word of ordinary text, they are one themselves: "Bearer token expired".
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
 * Takes out what only the owner of an address or of credentials should know: messages end up in logs.
 *
 * @param known Secrets that must not be shown wherever they stand. What could be a piece of a longer word stays: a secret `ad`
 *   does not make `lo…ing` of `loading`.
 */
export function withoutSecrets(text: string, known: readonly string[] = []): string {
  const shown = known.reduce((before, secret) => before.replace(occurrencesOf(secret), "…"), text);
  return REPEATED.reduce(
    (before, [pattern, instead]) => before.replace(pattern, instead),
    shown.replace(LOGIN, "$1…@").replace(SIGNED, "$1…"),
  );
}

/** As it is, and as it stands in a URL. */
function occurrencesOf(secret: string): RegExp {
  const forms = [...new Set([secret, encodeURIComponent(secret.toWellFormed())])].filter((form) => form !== "");
  const alternatives = forms.map((form) => {
    const before = /^[\p{L}\p{N}_]/u.test(form) ? "(?<![\\p{L}\\p{N}_])" : "";
    const after = /[\p{L}\p{N}_]$/u.test(form) ? "(?![\\p{L}\\p{N}_])" : "";
    return `${before}${form.replace(/[$()*+./?[\\\]^{|}]/g, "\\$&")}${after}`;
  });
  return new RegExp(alternatives.length === 0 ? "(?!)" : alternatives.join("|"), "gu");
}

/** Before the only `@` of a text that holds no password: a container, a user of PostgreSQL, a path, or an ordinary name. */
const HARMLESS_LOGIN =
  /^(?:az:\/\/[^:@]*|postgres(?:ql)?:\/\/[^:@]*|file:\/\/(?:localhost)?\/(?:[a-z]:\/)?(?!\/)[^:@]*|[^:@]*)$/i;

/**
 * True for text that looks like an address, or a connection string, with credentials in it, wherever they stand and however they
 * are encoded: it must not be repeated in a message, not even in part, since only its author knows where the secret ends.
 */
export function mayHoldSecret(text: string): boolean {
  const at = text.lastIndexOf("@");
  if (at >= 0 && !HARMLESS_LOGIN.test(text.slice(0, at))) return true;
  // The name of a bucket has no colon; a key and a secret have one between them.
  if (/^(?:s3|gs|az):\/*[^/?#]*:/i.test(text)) return true;
  return [text, decoded(text)].some((each) => each.search(SIGNED) >= 0);
}

/** Decodes valid escapes; others stay. */
function decoded(text: string): string {
  return text.replace(/%([0-9a-f]{2})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
}
