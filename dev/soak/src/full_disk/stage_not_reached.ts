/** Exit code of a migration that never reached the stage at which its disk was to be filled: it proves nothing. */
export const STAGE_NOT_REACHED = 100;
