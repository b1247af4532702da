import type { BackupVersion } from "../layout/versions.ts";
import type { Command } from "./options.ts";

/** What a command did, ready to be shown. */
export interface Outcome {
  code: number;
  /** In a sentence. */
  summary: string;
  /** What `--json` prints beside the command, the store, the exit code and the summary. */
  result: Record<string, unknown>;
  /** Lines before the summary. */
  lines: string[];
}

/** The result as `--json` prints it. */
export function documentOf(command: Command, place: string, { code, summary, result }: Outcome): object {
  return { command, place, exit_code: code, summary, ...result };
}

/** Ends a command that must not go on by itself; nothing was changed. */
export class NeedsDecision extends Error {}

/** Ends a command whose question was answered by Ctrl-C. */
export class Interruption extends Error {}

/** Bytes of all versions. */
export function totalSize(versions: readonly BackupVersion[]): number {
  return versions.reduce((sum, { size }) => sum + size, 0);
}
