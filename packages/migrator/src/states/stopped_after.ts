import { countText } from "@perdura/cli/quantities.js";
import { Stop } from "../stop.ts";

const WORDS = {
  down: ["came back before that, and stays", "came back before that, and stay"],
  prune: ["was removed before that; the archive has it", "were removed before that; the archive has them"],
} as const;

/** What stopped a command that goes entry by entry, in words that say how far it had come. */
export function stoppedAfter(entries: number, command: keyof typeof WORDS, stop: Stop): Stop {
  if (entries === 0) return stop;
  const what = stop.status === "interrupted" ? "Interrupted." : stop.message;
  const words = WORDS[command][entries === 1 ? 0 : 1];
  return new Stop(
    stop.status,
    `${what} ${countText(entries, "entry", "entries")} ${words}. Run ${command} again for the rest.`,
  );
}
