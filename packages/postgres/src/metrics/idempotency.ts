import { createHash, type Hash } from "node:crypto";
import { ValidationError } from "@perdura/internals/errors/errors.js";
import type { CheckedInteraction } from "@perdura/internals/metrics/checked_interaction.js";
import { describe } from "@perdura/internals/text/describe.js";
import { assertIdentifier } from "@perdura/internals/text/identifiers.js";
import { assertOptions } from "@perdura/internals/text/options.js";
import type { Session } from "../connection/connection.ts";
import type { Names } from "../layout/names.ts";

/** Options of a call that records. */
export interface RecordOptions {
  /**
   * Key of this call, 1 to 255 characters, for example a UUID. A later call with the same key and the same interactions
   * writes nothing and returns the result of the first call, so that a call that may have succeeded can be retried. The
   * same key with other interactions is an error. Keys stay in the table `perdura_idempotency_keys` until you remove
   * them.
   */
  idempotencyKey?: string | undefined;
}

/** PostgreSQL cannot index text of any length. */
const LONGEST = 255;

/** @throws ValidationError that names the option. */
export function checkedKey(options: RecordOptions): string | undefined {
  assertOptions("options", options, ["idempotencyKey"]);
  const { idempotencyKey: key } = options;
  if (key === undefined) return undefined;
  assertIdentifier("idempotencyKey", key);
  if (key.length > LONGEST)
    throw new ValidationError(`expected at most ${LONGEST} characters, got ${key.length}. Nothing was written.`, {
      argument: "idempotencyKey",
    });
  return key;
}

/** Result of the call that used a key. */
export interface Used {
  first_id: number | null;
  rows: number;
}

/** A digest of interactions, to distinguish a repeated call from a different call with the same key. */
export class Content {
  readonly #hash: Hash = createHash("sha256");

  add({ userId, level, success, responseTimeMs, metadata }: CheckedInteraction): this {
    this.#hash.update(`${JSON.stringify([userId, level, success, responseTimeMs, metadata])}\n`);
    return this;
  }

  addAll(interactions: Iterable<CheckedInteraction>): this {
    for (const interaction of interactions) this.add(interaction);
    return this;
  }

  /** Passes interactions on, and adds each to the digest when it is read. */
  *through(interactions: Iterable<CheckedInteraction>): Generator<CheckedInteraction, void> {
    for (const interaction of interactions) {
      this.add(interaction);
      yield interaction;
    }
  }

  digest(): string {
    return this.#hash.digest("hex");
  }
}

/**
 * Returns the call that used a key; undefined if the key is new.
 *
 * @throws ValidationError if the key was used for other interactions.
 */
export async function usedFor(
  session: Session,
  names: Names,
  key: string,
  content: () => string,
): Promise<Used | undefined> {
  const [used] = await session.query<Used & { content: string }>(
    `SELECT first_id, rows, content FROM ${names.idempotencyKeys} WHERE key = $1`,
    [key],
  );
  if (used === undefined) return undefined;
  if (used.content !== content())
    throw new ValidationError(
      `${describe(key)} was already used for different interactions. Nothing was written. Use a different key for each call.`,
      { argument: "idempotencyKey" },
    );
  return used;
}

/**
 * Claims a key in the caller's transaction. Waits for a concurrent transaction that uses the same key.
 *
 * @returns Undefined if the key was claimed; otherwise the call that used it.
 * @throws ValidationError if the key was used for other interactions.
 */
export async function claimOrLook(
  session: Session,
  names: Names,
  key: string,
  content: () => string,
): Promise<Used | undefined> {
  for (;;) {
    const claimed = await session.query(
      `INSERT INTO ${names.idempotencyKeys} (key, content, rows) VALUES ($1, '', 0) ON CONFLICT (key) DO NOTHING RETURNING 1`,
      [key],
    );
    // The key may have been removed between the two statements.
    const used = claimed.length > 0 ? undefined : await usedFor(session, names, key, content);
    if (claimed.length > 0 || used !== undefined) return used;
  }
}
