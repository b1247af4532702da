/** How long a test may take that runs many commands, on a machine that is busy with something else; in milliseconds. */
export const SLOW_MACHINE_MS = 240_000;
