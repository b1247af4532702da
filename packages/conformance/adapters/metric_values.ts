import type { Args } from "./arguments.ts";

/**
 * The arguments of `recordMetric` of 16+. With `empathy_level` they are those of the pre-16 line, which 16+ must
 * refuse.
 */
export function metricValues(args: Args): unknown[] {
  const level = "empathy_level" in args ? [args.empathy_level] : [];
  const rest = "metadata" in args ? [args.metadata] : [];
  return [args.user_id, ...level, args.success, args.response_time_ms, ...rest];
}
