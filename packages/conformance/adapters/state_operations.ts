import type { Operations } from "./line_adapter.ts";
import { within } from "./metrics_operations.ts";

/** The state manager of the pre-16 line. */
export interface States {
  saveState(userId: string, state: never): unknown;
  loadState(userId: string): object | null;
  listUsers(): string[];
  deleteState(userId: string): boolean;
}

/** The operations of section 4.4. */
export function stateOperations(line: { StateManager: new (stateDir?: string) => States }): Operations {
  return {
    StateManager: ({ args }) => ({ kept: new line.StateManager(...("state_dir" in args ? [args.state_dir] : [])) }),
    // The default directory is relative, and created by the first save.
    save_state: ({ args, subject, directory }) => ({
      value: within(directory, () => statesOf(subject).saveState(args.user_id, args.state)),
    }),
    load_state: ({ args, subject, directory }) => ({
      value: within(directory, () => statesOf(subject).loadState(args.user_id)),
    }),
    list_users: ({ subject, directory }) => ({ value: within(directory, () => statesOf(subject).listUsers()) }),
    delete_state: ({ args, subject, directory }) => ({
      value: within(directory, () => statesOf(subject).deleteState(args.user_id)),
    }),
  };
}

function statesOf(subject: unknown): States {
  return (subject as { states?: States }).states ?? (subject as States);
}
