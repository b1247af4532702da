import { parseArgs } from "node:util";
import { SCENARIOS, type Scenario } from "./scenarios.ts";
import type { Way } from "./tasks.ts";

const USAGE = `pnpm soak:migrate [--points N] [--layout NAME] [--seed N] [--point NAME] [--way WAY]

Kills perdura-migrate at every system call that changes the disk, and looks at what is left.

  --points N     only about so many points: as many of each run, evenly spread
  --layout NAME  only runs whose name has NAME in it; --layout list shows the names
  --seed N       which points --points takes: another number, others
  --point NAME   only the points of that name, for example program:pwrite64:17
  --way WAY      kill (the default); fail: the calls fail, with EIO and with ENOSPC; interrupt: SIGINT and SIGTERM
  --help         this text`;

/** What the soak is asked to do. */
export interface Wishes {
  scenarios: readonly Scenario[];
  points: number;
  /** From 0 to 1. */
  start: number;
  point: string | undefined;
  way: Way;
}

/**
 * Reads the command line.
 *
 * @returns A text to print instead, where that is what is asked for.
 * @throws Error for what is unknown or no number.
 */
export function wishesFrom(words: readonly string[]): Wishes | string {
  const { values } = parseArgs({
    args: [...words],
    options: {
      points: { type: "string" },
      layout: { type: "string" },
      seed: { type: "string" },
      point: { type: "string" },
      way: { type: "string" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help === true) return USAGE;
  if (values.layout === "list") return SCENARIOS.map(({ name }) => name).join("\n");
  const scenarios = SCENARIOS.filter(({ name }) => name.includes(values.layout ?? ""));
  if (scenarios.length === 0) throw new Error(`There is no run with ${values.layout} in its name. Try --layout list.`);
  const golden = (numberOf("seed", values.seed ?? "0") * 0.618_033_988_749_895) % 1;
  return {
    scenarios,
    points: values.points === undefined ? Number.POSITIVE_INFINITY : numberOf("points", values.points),
    start: golden,
    point: values.point,
    way: wayNamed(values.way ?? "kill"),
  };
}

function wayNamed(name: string): Way {
  if (name === "kill" || name === "fail" || name === "interrupt") return name;
  throw new Error(`--way: expected kill, fail or interrupt, got ${name}.`);
}

function numberOf(option: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new Error(`--${option}: expected a whole number, got ${text}.`);
}
