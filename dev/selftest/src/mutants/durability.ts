import type { JsonValue } from "../../../../packages/conformance/src/values/json_value.ts";
import { ok, rowIn } from "./mutations.ts";
import type { Call, Mutant, Mutation } from "./mutations.ts";

const mutant = rowIn("durability");

/** Answers the calls of an operation at once, and does their work when the objects are closed. */
function buffers(op: string, given: JsonValue = null): Mutation {
  const waiting: Call[] = [];
  return {
    op,
    before(request) {
      if (request.op !== op) return request;
      waiting.push(request);
      return ok(request, given);
    },
    async released(inner) {
      for (const call of waiting.splice(0)) await inner.handle(call);
    },
  };
}

/** Implementations that lose what a call has promised when their process ends. */
export const DURABILITY: readonly Mutant[] = [
  mutant(
    "buffers interactions until the collector is closed",
    "R-4.2/one-row",
    16,
    "one-interaction",
    buffers("record_interaction", 1),
  ),
  mutant(
    "buffers metrics until the collector is closed",
    "R-4.2/one-row",
    15,
    "one-interaction",
    buffers("record_metric"),
  ),
  mutant("buffers metrics without a level", "U-durability", 16, "promised", buffers("record_metric")),
  mutant("keeps metrics until the collector is closed", "R-4.2/one-row", 16, "one-metric", buffers("record_metric")),
  mutant("writes JSON when the library is closed", "R-4.1/save-to-json", 16, "json-library", buffers("save_to_json")),
  mutant(
    "writes rows when the library is closed",
    "R-4.1/save-to-sqlite",
    16,
    "sqlite-library",
    buffers("save_to_sqlite"),
  ),
  mutant("writes states when the manager is closed", "R-4.4/save-state", 15, "state", buffers("save_state")),
  mutant(
    "deletes states when the manager is closed",
    "R-4.4/delete",
    15,
    "deleted-state",
    buffers("delete_state", true),
  ),
  mutant("exports when the collector is closed", "R-4.2/export-metrics", 16, "export", buffers("export_metrics", 1)),
];
