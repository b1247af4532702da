import type { BackupVersion } from "../layout/versions.ts";
import type { Keeping, Removal } from "../stores/object_store.ts";

/** What became of the bytes of versions that were removed, or with `dryRun` would become of them. The three add up to all. */
export interface Space {
  /** Bytes that the store no longer has. */
  freed_bytes: number;
  /** Bytes that the store retains, as older versions of objects or for some time: versioning, soft delete. */
  retained_bytes: number;
  /** Bytes of which the store does not tell. */
  unknown_bytes: number;
  /** Why they are retained, in the middle of a sentence (`the bucket has versioning`); null where nothing is. */
  retained_by: string | null;
  /** How the store frees what it retains, as text of several lines with a rule to paste; null where nothing is to be done. */
  how_to_free: string | null;
}

/** Adds up what a store says. What it says of an object counts; what it says of the bucket, where the answer left it open. */
export class SpaceCount {
  readonly #keeping: Keeping;
  readonly #bytes = { freed: 0, retained: 0, unknown: 0 };

  constructor(keeping: Keeping) {
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
