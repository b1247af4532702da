import type { JsonObject } from "../../values/json_value.ts";
import { refusal } from "./metrics_mutations.ts";
import { alters, answers, ok, receives, row } from "./mutations.ts";
import type { Mutant, Mutation } from "./mutations.ts";

const metrics = (name: string, requirement: string, line: 15 | 16, kills: string, mutation: Mutation): Mutant =>
  row(name, requirement, line, `metrics/${kills}`, mutation);

/** From 16: records at the level that `levelOf` says. */
const recordsAt = (levelOf: (user: string) => number, seen: (args: JsonObject) => void = () => {}): Mutation => ({
  before(request) {
    if (request.op === "record_interaction") seen(request.args);
    if (request.op !== "record_metric") return request;
    const { user_id, success, response_time_ms } = request.args as { [key: string]: string };
    const args = { user_id, success, response_time_ms, level: levelOf(String(user_id)) } as JsonObject;
    return { ...request, op: "record_interaction", args };
  },
});

function remembersWhileItRuns(): Mutation {
  const levels = new Map<string, number>();
  const recording = recordsAt(
    (user) => levels.get(user) ?? 1,
    (args) => levels.set(String(args.user_id), Number(args.level)),
  );
  return {
    before(request, directory) {
      if (request.op === "MetricsCollector") levels.clear();
      return recording.before?.(request, directory) ?? request;
    },
  };
}

function recordsBeforeItAsks(): Mutation {
  let asked = false;
  return {
    before(request) {
      if (request.op === "MetricsCollector") asked = false;
      if (request.op.startsWith("get_")) asked = true;
      return asked && request.op.startsWith("record_") ? refusal(request) : request;
    },
  };
}

/** Collectors with another answer to an open question, which they say that they answer by the ruling. */
export const METRICS_QUESTION_MUTANTS: readonly Mutant[] = [
  metrics(
    "adds a metadata column",
    "U-metadata-storage",
    16,
    "metadata-storage",
    alters("ALTER TABLE interactions ADD COLUMN metadata TEXT"),
  ),
  metrics(
    "throws metadata away",
    "U-metadata-storage",
    15,
    "metadata-storage",
    receives("record_metric", ({ metadata: _lost, ...args }) => args),
  ),
  metrics(
    "encodes metadata twice",
    "U-metadata-storage",
    16,
    "metadata-text",
    alters("UPDATE interaction_metadata SET metadata = json_quote(metadata)"),
  ),
  metrics(
    "rounds the numbers in metadata",
    "U-numbers",
    15,
    "metadata-exact-numbers",
    receives("record_metric", (args) => ({ ...args, metadata: { big: 12345678901234567000 } })),
  ),
  metrics(
    "records level 1 without a level",
    "U-record-metric-level",
    16,
    "record-metric-level",
    recordsAt(() => 1),
  ),
  metrics(
    "remembers levels only while it runs",
    "U-record-metric-level",
    16,
    "record-metric-level-kept",
    remembersWhileItRuns(),
  ),
  metrics(
    "gives nothing back for an interaction",
    "U-record-metric-table",
    16,
    "one-table",
    answers("record_interaction", (answer) => ok(answer)),
  ),
  metrics(
    "loses the level of record_interaction",
    "U-record-metric-table",
    15,
    "record-interaction-before-16",
    alters("UPDATE interactions SET empathy_level = 1"),
  ),
  metrics("records no more once it was asked", "U-lifecycle", 15, "any-order", recordsBeforeItAsks()),
];
