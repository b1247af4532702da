import { lineOf } from "../lines.ts";
import { BATCH, beginsLevel, rowOf, type Way, wayOf } from "../recorded.ts";
import { say, untilSignal } from "./say.ts";

/**
 * `record.ts LINE DATABASE USER DURABILITY`: records the rows 1, 2, 3 … of a user; prints `stored N` once 1 to N are
 * stored.
 */
const [number = "", path = "", user = "", durability = ""] = process.argv.slice(2);
const line = lineOf(number);
const collector = line.open(path, { durability: durability === "normal" ? "normal" : "full" });
const writer = collector.writer();
let stored = 0;

const single = (next: number): void => {
  const { level, success, time } = rowOf(next);
  collector.recordInteraction(user, level, success, time);
};
const batch = (): number[] => Array.from({ length: BATCH }, (_, index) => stored + index + 1);

/** Each stores the next rows and returns their number. */
const ways: Record<Way, () => number | Promise<number>> = {
  single: () => {
    single(stored + 1);
    return 1;
  },
  metric: () => {
    if (beginsLevel(stored + 1)) single(stored + 1);
    else line.metric(collector, user, stored + 1);
    return 1;
  },
  many: () => {
    line.many(collector, user, batch());
    return BATCH;
  },
  writer: async () => {
    await Promise.all(
      batch().map((next) => {
        const { level, success, time } = rowOf(next);
        return writer.recordInteraction(user, level, success, time);
      }),
    );
    return BATCH;
  },
};

const record = ways[wayOf(user)];
await untilSignal(async () => {
  stored += await record();
  say("stored", stored);
});
await writer.close();
collector.close();
