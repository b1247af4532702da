/** The level that the collaboration state of a user holds. */
export interface UserLevel {
  /** The user id in UTF-8, or in the bytes of a file name that is none. */
  user: Buffer;
  level: number;
  /** Path of the state file, or of the archive and the name in it. */
  file: Buffer;
  /** Of the state file, in hexadecimal. */
  sha256: string;
}

/** The current levels that collaboration states hold. */
export interface UserLevels {
  /** By the bytes of the user id as latin1 text: ids need not be UTF-8. */
  levels: Map<string, UserLevel>;
  /** Users of whom two states hold different levels; they have none in `levels`. */
  contradictory: Set<string>;
  /** How many states were looked into. */
  states: number;
}

/** Reads the levels when they are first asked for; afterwards they are known. */
export type AskLevels = () => UserLevels;

/** Where there are no states. */
export const noUserLevels: AskLevels = () => ({ levels: new Map(), contradictory: new Set(), states: 0 });
