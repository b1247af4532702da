/** Size in bytes up to which a rewrite takes about a second. */
export const REWRITTEN_UP_TO: number = 256 * 1024 * 1024;
