import type { JsonObject } from "../../values/json_value.ts";
import { records, refusal, refuses } from "./metrics_mutations.ts";
import { receives, row } from "./mutations.ts";
import type { Mutant, Mutation } from "./mutations.ts";

const metrics = (name: string, requirement: string, line: 15 | 16, kills: string, mutation: Mutation): Mutant =>
  row(name, requirement, line, `metrics/${kills}`, mutation);

const clamped = ({ level, ...args }: JsonObject): JsonObject => ({
  ...args,
  level: typeof level === "number" ? Math.min(5, Math.max(1, Math.round(level))) : 3,
});

/** Collectors that take what the rulings refuse, or the other way round. */
export const METRICS_RANGE_MUTANTS: readonly Mutant[] = [
  metrics("brings levels into the range", "U-range", 16, "range", records(clamped)),
  metrics("complains after it has written", "U-range", 16, "range", {
    ...records(clamped),
    answer: (_request, answer) => ("value" in answer && answer.value !== null ? refusal(answer) : answer),
  }),
  metrics(
    "takes any response time",
    "U-range",
    15,
    "range-response-time",
    records((args) => ({ ...args, response_time_ms: 0 })),
  ),
  metrics(
    "makes text of any user id",
    "U-range",
    16,
    "range-user",
    records((args) => ({ ...args, user_id: `user ${String(args.user_id)}` })),
  ),
  metrics(
    "takes anything for a truth",
    "U-range",
    15,
    "range-success",
    records((args) => ({ ...args, success: Boolean(args.success) })),
  ),
  metrics(
    "takes any metadata",
    "U-range",
    16,
    "range-record-metric",
    receives("record_metric", ({ metadata, ...args }) =>
      metadata === undefined ? args : { ...args, metadata: { value: metadata } },
    ),
  ),
  metrics(
    "takes no response time of 0",
    "U-range",
    16,
    "range-edges",
    refuses("record_interaction", (args) => args.response_time_ms === 0),
  ),
  metrics(
    "cuts user ids at a NUL",
    "U-text",
    16,
    "unfit-user-ids",
    records((args) => ({ ...args, user_id: String(args.user_id).replace(/\0.*/s, "") || "nobody" })),
  ),
  metrics(
    "has a limit for user ids",
    "U-limits",
    16,
    "large-values",
    refuses("record_metric", (args) => String(args.user_id).length > 255),
  ),
];
