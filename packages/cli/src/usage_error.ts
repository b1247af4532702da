/** A usage error of the command line, in one sentence: exit code 2. The kit adds the command for help. */
export class UsageError extends Error {}

/** Ends a command that needs a decision first: exit code 3. Nothing was changed. */
export class DecisionNeeded extends Error {}

/** Ends a command whose question the user answered with Ctrl-C: exit code 130. */
export class Interrupted extends Error {}
