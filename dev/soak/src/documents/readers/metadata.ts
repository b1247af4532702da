import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as line15 from "perdura-15";
import * as line16 from "perdura";
import type { Chance } from "../../../../../test/hostile/chance.ts";
import { hostileText } from "../../../../../test/hostile/hostile_text.ts";
import { hostileValue, nearly, own } from "../../../../../test/hostile/hostile_values.ts";
import { faultsOfError } from "../judge_error.ts";
import type { Bench, Try } from "../reader.ts";
import { differenceOf } from "../same_value.ts";

/** Metadata of interactions: written with `recordMetric`, read by exports. */
export const ofLine16 = ({ directory }: Bench): Try => recording(new line16.MetricsCollector(":memory:"), directory);
export const ofLine15 = ({ directory }: Bench): Try => recording(new line15.MetricsCollector(":memory:"), directory);

type Collector = Pick<line15.MetricsCollector, "exportMetrics" | "close" | "getAllUsers"> & {
  recordMetric: (...given: never[]) => unknown;
};

function recording(metrics: Collector, directory: string): Try {
  const written: string[] = [];
  const before16 = metrics instanceof line15.MetricsCollector;
  return {
    document: (chance) => {
      const { user, metadata } = interaction(chance);
      const given: unknown[] = before16 ? [user, 3, true, 1, metadata] : [user, true, 1, metadata];
      try {
        metrics.recordMetric(...(given as never[]));
        written.push(JSON.stringify([user, metadata ?? null]));
        return [];
      } catch (error) {
        return faultsOfError(error);
      }
    },
    close: () => {
      const faults = judgeExport(metrics, written, join(directory, "metrics.jsonl"));
      metrics.close();
      return faults;
    },
  };
}

function interaction(chance: Chance): { user: unknown; metadata: unknown } {
  const metadata = chance.percent(20)
    ? hostileValue(chance)
    : nearly(
        own([
          ["tool", "search"],
          [hostileText(chance), [1, { deep: hostileText(chance) }]],
        ]),
        chance,
        chance.pick([0, 1, 3]),
      );
  return { user: chance.percent(30) ? hostileValue(chance) : hostileText(chance), metadata };
}

/** Every line must be the recorded data, in order. */
export function judgeExport(
  metrics: Pick<Collector, "exportMetrics">,
  written: readonly string[],
  path: string,
): string[] {
  metrics.exportMetrics(path);
  const lines = readFileSync(path, "utf8").split("\n").slice(0, -1);
  if (lines.length !== written.length) return [`${written.length} interactions recorded, ${lines.length} exported`];
  return lines.flatMap((line, index) => {
    // The text is compared, not its value, which would round numbers.
    const [, user, metadata] =
      /^\{"id":\d+,"user_id":(.*?),"(?:empathy_)?level":.*?,"metadata":(.*)\}$/s.exec(line) ?? [];
    const exported = `[${user},${metadata}]`;
    return differenceOf(written[index] as string, exported).map((text) => `not exported as recorded: ${text}`);
  });
}
