import { mkdirSync } from "node:fs";
import { join } from "node:path";
import * as line15 from "perdura-15/persistence";
import * as line16 from "perdura";
import { fromWire } from "../../../../packages/conformance/adapters/exact_values.ts";
import type { JsonObject } from "../../../../packages/conformance/src/values/json_value.ts";
import { LIBRARIES, STATES } from "./content.ts";
import { INTERACTIONS, moment } from "./interactions.ts";

/** The classes for libraries that both lines share. */
type PatternsModule = Pick<typeof line16, "PatternLibrary" | "PatternPersistence">;

/** Writes the gold files of the pre-16 line into a folder. */
export function write15(folder: string): void {
  writeLibraries(line15 as unknown as PatternsModule, folder);
  const metrics = new line15.MetricsCollector(join(folder, "metrics.db"), { clock: ticking() });
  for (const one of INTERACTIONS)
    metrics.recordMetric(one.user_id, one.level, one.success, one.response_time_ms, one.metadata ?? null);
  metrics.close();
  mkdirSync(join(folder, "states"), { recursive: true });
  const states = new line15.StateManager(join(folder, "states"));
  for (const state of Object.values(STATES)) states.saveState(state.user_id as string, state as never);
}

/** Writes the gold files of the 16+ line into a folder. */
export function write16(folder: string): void {
  writeLibraries(line16, folder);
  const metrics = new line16.MetricsCollector(join(folder, "metrics.db"), { clock: ticking() });
  metrics.recordMany(INTERACTIONS.map((one) => ({ ...one })) as never);
  metrics.close();
}

function writeLibraries({ PatternLibrary, PatternPersistence }: PatternsModule, folder: string): void {
  for (const [name, patterns] of Object.entries(LIBRARIES)) {
    const library = new PatternLibrary({ clock: () => moment(0) });
    for (const pattern of patterns)
      library.contribute(pattern.agent_id as string, fromWire(pattern as JsonObject) as never);
    PatternPersistence.saveToJson(library, join(folder, `${name}.json`));
    PatternPersistence.saveToSqlite(library, join(folder, `${name}.db`));
  }
}

/** A clock that is one minute later at each call. */
function ticking(): () => Date {
  let asked = 0;
  return () => moment(asked++);
}
