/**
 * One side of a row in its own process, so that its memory is measured separately. Started by `side_client.ts`; it
 * creates the side, runs a round for each message and reports its duration, and at the end its peak memory.
 */
import { flushCompileCache } from "node:module";
import { ROWS } from "../rows.ts";
import type { Place } from "../row.ts";
import { timeOf } from "../measure/measure.ts";
import type { Answer, Question } from "./messages.ts";
import { ownPeakMemory } from "../measure/peak_memory.ts";

// The first process compiles for all: compilation does not count for the others' memory.
flushCompileCache();
if (process.send !== undefined) await serve(JSON.parse(process.argv[2] as string) as Assignment);

/** The side of a row, with its place. */
export interface Assignment {
  row: string;
  side: "ours" | "peer";
  place: Place;
}

async function serve({ row: name, side: which, place }: Assignment): Promise<void> {
  const row = ROWS.find((candidate) => candidate.name === name);
  if (row === undefined) throw new Error(`Unknown row ${name}.`);
  // Also if the parent has ended: a program that the side started would keep this process running.
  process.on("disconnect", () => process.exit());
  const side = await row.sides[which](place);
  const answer = (message: Answer): void => void process.send?.(message);
  process.on("message", async (question: Question) => {
    if (question === "round") return answer({ milliseconds: await timeOf(side) });
    const memory = side.memory === undefined ? ownPeakMemory() : side.memory();
    const remarks = side.remarks?.() ?? [];
    await side.close?.();
    answer({ memory, remarks });
    process.disconnect();
  });
  answer({ name: side.name });
}
