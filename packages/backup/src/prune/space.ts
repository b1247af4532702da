import type { BackupVersion } from "../layout/versions.ts";
import type { Retention, Removal } from "../stores/object_store.ts";

/**
 * Fate of the bytes of removed versions, or with `dryRun` their expected fate. The three numbers add up to all bytes.
 */
export interface Space {
  /** Bytes that the store has freed. */
  freed_bytes: number;
  /** Bytes that the store retains, as older versions of objects or for some time: versioning, soft delete. */
  retained_bytes: number;
  /** Bytes whose fate the store does not report. */
  unknown_bytes: number;
  /**
   * Reason that they are retained, for the middle of a sentence (`the bucket has versioning`); null without retained
   * bytes.
   */
  retained_by: string | null;
  /** Instructions to free the retained bytes, several lines with a rule to paste; null if no action is needed. */
  how_to_free: string | null;
}

/**
 * Adds up bytes by their fate. The answer about an object decides; if it leaves the fate open, the setting of the
 * bucket does.
 */
export class SpaceCount {
  readonly #keeping: Retention;
  readonly #bytes = { freed: 0, retained: 0, unknown: 0 };

  constructor(keeping: Retention) {
    this.#keeping = keeping;
  }

  add({ size }: BackupVersion, removal: Exclude<Removal, object>): void {
    this.#bytes[this.#fateOf(removal)] += size;
  }

  #fateOf(removal: Exclude<Removal, object>): "freed" | "retained" | "unknown" {
    const { retains } = this.#keeping;
    if (retains === true) return "retained";
    return removal === "unknown" && retains === false ? "freed" : removal;
  }

  get space(): Space {
    const { freed, retained, unknown } = this.#bytes;
    return {
      freed_bytes: freed,
      retained_bytes: retained,
      unknown_bytes: unknown,
      retained_by: retained > 0 ? (this.#keeping.why ?? null) : null,
      how_to_free: retained > 0 ? (this.#keeping.howToFree ?? null) : null,
    };
  }
}
