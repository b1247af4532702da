/** Says in one sentence what is wrong with the command line: exit code 2. The kit adds the command for help. */
export class UsageError extends Error {}

/** Ends a command that needs a decision first: exit code 3. Nothing was changed. */
export class DecisionNeeded extends Error {}

/** Ends a command whose question was answered by Ctrl-C: exit code 130. */
export class Interrupted extends Error {}
