import type { JsonObject } from "../../json/values.ts";
import type { RangeOptions } from "../time_range.ts";

/** Settings of `listInteractions`. */
export interface ListOptions extends RangeOptions {
  /** Lists the interactions of this user only. */
  user_id?: string | undefined;
  /** Lists the interactions with this result only. */
  success?: boolean | undefined;
  /**
   * Lists the interactions whose metadata have these values, such as `{ tool: "search" }`. Null stands for interactions
   * without the key.
   */
  where?: Readonly<Record<string, string | number | boolean | null>> | undefined;
  /** By id, which is the order of recording: `newest` first (the default) or `oldest` first. */
  order?: "newest" | "oldest" | undefined;
}

/**
 * A stored interaction. Other programs may have stored values that the specification does not allow: these are null.
 */
export interface StoredInteractionFields {
  /** A bigint beyond 2^53. */
  id: number | bigint;
  user_id: string;
  success: boolean;
  /** Milliseconds. */
  response_time_ms: number | null;
  /** As it is stored; perdura writes UTC, `YYYY-MM-DD HH:MM:SS`. */
  timestamp: string | null;
  metadata: JsonObject | null;
}

/** A stored interaction with its level, 1 to 5, under the name of the line. */
export type ListedInteraction<Level extends string> = StoredInteractionFields & Record<Level, number | null>;
