/**
 * `key:secret@` before a host; a secret of S3 may have slashes. A name without a password stays where it is one for certain,
 * before a PostgreSQL server: whoever reads the message needs it.
 */
const LOGIN =
  /(\b(?!postgres(?:ql)?:\/\/[\w.-]{1,63}@[^\s"'@]*(?:[\s"']|$))[a-z][a-z\d+.-]{0,30}:\/\/)(?:[^\s/"'@:]*:[^\s"']{0,4096}|[^\s/"']+)@/gi;
/** `…&sig=…`, as the signed addresses of Azure, S3 and Google have them, and `…;AccountKey=…`. */
const SIGNED = /((?:^|[?&;"'])[\w.-]*(?:sig|signature|key|token|secret|password|credential)=)[^\s&;"']+/gi;

/** Takes out what an address may hold that only its owner should know: messages end up in logs. */
export function withoutSecrets(text: string): string {
  return text.replaceAll(LOGIN, "$1…@").replaceAll(SIGNED, "$1…");
}
