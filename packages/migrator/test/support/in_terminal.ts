import { type Seen, seenInTerminal } from "../../../../test/in_terminal.ts";
import { migratorCommand } from "../../../../test/programs.ts";

export { hasTerminals } from "../../../../test/in_terminal.ts";

/** Runs perdura-migrate in a pseudo terminal; see {@link seenInTerminal}. */
export function runInTerminal(words: readonly string[], options: Parameters<typeof seenInTerminal>[1]): Promise<Seen> {
  return seenInTerminal(migratorCommand(...words), options);
}
