import { restart, liveOn, openAndCloseOn } from "./long_life/lives.ts";
import type { Round, Soak } from "./soak.ts";

/** Number of hours of a life; a very short one has fewer, because each hour starts processes of its own. */
const [HOURS, SHORT_HOURS] = [24, 8];

/** A day of an agent within minutes, by an accelerated clock. */
export const longLife: Soak = {
  name: "long_life",
  about: "run an agent for 24 simulated hours, measuring memory and files",
  missing: () => (process.platform === "linux" ? undefined : "Open files are counted in /proc, which only Linux has."),
  run: async (round) => {
    for (const line of ["15", "16"] as const) {
      const hours = round.share < 0.01 ? SHORT_HOURS : HOURS;
      const plan = { line, round, hours, secondsAnHour: Math.max(60, Math.round(3600 * round.share)) };
      await row(round, `24 hours in one process (${line})`, (name) => liveOn({ ...plan, row: name }));
      await row(round, `24 hours, begun again each hour (${line})`, (name) => restart({ ...plan, row: name }));
      await row(round, `open and close (${line})`, (name) => openAndCloseOn({ ...plan, row: name }));
    }
  },
};

async function row(round: Round, name: string, live: (name: string) => Promise<void>): Promise<void> {
  if (!round.isOver() && round.wants(name)) await live(name);
}
