import { Stop } from "../stop.ts";

const WORDS = {
  down: "came back before that, and stay",
  prune: "were removed before that; the archive has them",
} as const;

/** What stopped a command that goes entry by entry, in words that say how far it had come. */
export function stoppedAfter(entries: number, command: keyof typeof WORDS, stop: Stop): Stop {
  if (entries === 0) return stop;
  const what = stop.status === "interrupted" ? "Interrupted." : stop.message;
  return new Stop(stop.status, `${what} ${entries} entries ${WORDS[command]}. Run ${command} again for the rest.`);
}
