/** Says in one sentence what is wrong with the command line. */
export class UsageError extends Error {}
