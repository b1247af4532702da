/** Files outside of the case's directory. */
export const SANDBOX_CHECK = "sandbox";

/** The answer `unsupported` to an operation that the adapter declared. */
export const UNSUPPORTED_CHECK = "unsupported";

/** Check of a whole file, as `check-file` makes it. */
export const SOUNDNESS_CHECK = "soundness";

/** Names of checks that no case has, because the runner makes them. A failure of the first two counts at every level. */
export const OWN_CHECKS: readonly string[] = [SANDBOX_CHECK, UNSUPPORTED_CHECK, SOUNDNESS_CHECK];
