import { assertNoMore } from "@perdura/internals/text/options.js";
import { CorruptDataError, JSONDecodeError, PerduraError, ValidationError } from "@perdura/internals/errors/errors.js";
import { assertPath, type FilePath, pathText } from "@perdura/internals/files/places.js";
import { decodeJson } from "@perdura/internals/json/decode.js";
import { stringifyExact } from "@perdura/internals/json/exact_numbers.js";
import { assertLoadOptions, type LoadOptions, type NonFinite } from "@perdura/internals/json/load_options.js";
import { inspectJson, isPlainObject } from "@perdura/internals/json/values.js";
import {
  type CollaborationState,
  type CollaborationStateFields,
  fillFromLegacyKeys,
  roundTypedFields,
} from "@perdura/internals/state/state_document.js";
import { describe, quote, shownPointer } from "@perdura/internals/text/describe.js";
import { assertIdentifier, assertText, identifierFault } from "@perdura/internals/text/identifiers.js";
import { stateFault } from "@perdura/internals/validity/state_problems.js";
import { StateDirectory } from "./state_directory.ts";
import { type StateFiles, StateMemory } from "./state_files.ts";

export type { CollaborationState, CollaborationStateFields } from "@perdura/internals/state/state_document.js";

/**
 * Saves and restores per-user collaboration state, one JSON file a user (specification, section 4.4). Any user id is
 * safe: an id that is not a portable file name is encoded, so that no file is written outside of the directory. Removed
 * in 16.0.0.
 *
 * @example
 * ```ts
 * const states = new StateManager("state");
 * states.saveState("alice", { user_id: "alice", trust_level: 0.7, current_level: 3 });
 * console.log(states.loadState("alice")?.trust_level, states.listUsers()); // 0.7 [ 'alice' ]
 * ```
 */
export class StateManager {
  readonly #files: StateFiles;
  readonly #nonFinite: NonFinite | undefined;

  /**
   * Creates a manager. Nothing is read or created before the first call of a method.
   *
   * @param stateDir Directory of the state files; `./state` by default. The first save creates it.
   * @param options.nonFinite Reads the tokens `NaN`, `Infinity` and `-Infinity`, which Python writes, as null or as
   * text.
   * @throws ValidationError if `stateDir` is not a path, or an option does not exist.
   */
  constructor(stateDir?: FilePath, options?: LoadOptions);
  /** @internal States in memory are for {@link openPersistence}. */
  constructor(stateDir: StateMemory);
  constructor(stateDir: FilePath | StateMemory = "./state", options?: LoadOptions) {
    assertLoadOptions(options);
    this.#nonFinite = options?.nonFinite;
    if (stateDir instanceof StateMemory) {
      this.#files = stateDir;
    } else {
      const directory = pathText("stateDir", stateDir);
      assertPath("stateDir", directory);
      this.#files = new StateDirectory(directory);
    }
  }

  /**
   * Saves a user's state and replaces the previous one atomically and durably. Keys that section 2.8 does not define
   * are kept.
   *
   * @throws ValidationError if `state` is not a state or belongs to another user; the previous state is unchanged.
   *
   * @example
   * ```ts
   * const states = new StateManager("state");
   * states.saveState("alice", { user_id: "alice", trust_level: 0.7, current_level: 3, notes: ["kept"] });
   * console.log(states.loadState("alice")?.["notes"]); // [ 'kept' ]
   * ```
   */
  saveState(userId: string, state: CollaborationState | CollaborationStateFields): void {
    assertNoMore("saveState", arguments, 2);
    assertIdentifier("userId", userId);
    const unchanged = `The state of ${quote(userId)} is unchanged.`;
    const given: unknown = state;
    if (!isPlainObject(given))
      throw new ValidationError(`expected an object, got ${describe(given)}. ${unchanged}`, { argument: "state" });
    const fault = stateFault(state);
    if (fault !== undefined) {
      throw new ValidationError(`${shownPointer(fault.pointer)}: ${fault.reason}. ${unchanged}`, {
        argument: "state",
        pointer: fault.pointer,
      });
    }
    if (state.user_id !== userId) {
      throw new ValidationError(
        `user_id is ${quote(state.user_id)}, but the state is saved for ${quote(userId)}. ${unchanged}`,
        { argument: "state" },
      );
    }
    const exact = inspectJson(state, `state of ${quote(userId)}`).needsExactWriter;
    this.#files.write(userId, `${exact ? stringifyExact(state, 2) : JSON.stringify(state, null, 2)}\n`);
  }

  /**
   * Loads a user's state; null for an unknown user. `user_id` of the result is always the argument, because the file
   * name decides whose state it is. If a field of section 2.8 is absent, its value comes from the key under which older
   * programs wrote it: `total_interactions`, `successful_interventions`, `failed_interventions`, `session_start`,
   * `saved_at`.
   *
   * @throws CorruptDataError if the file is not JSON or not a state; it is not changed (ruling U-state-corrupt).
   *
   * @example
   * ```ts
   * const states = new StateManager("state");
   * console.log(states.loadState("nobody")); // null
   * ```
   */
  loadState(userId: string): CollaborationState | null {
    assertNoMore("loadState", arguments, 1);
    assertText("userId", userId);
    // An id that is never saved is that of an unknown user; a file named `.json` is not a state.
    const stored = identifierFault(userId) === undefined ? this.#files.read(userId) : undefined;
    if (stored === undefined) return null;
    const { bytes, place: path } = stored;
    const document = readDocument(bytes, path, this.#nonFinite);
    roundTypedFields(document);
    fillFromLegacyKeys(document);
    const fault = stateFault(document);
    if (fault === undefined) return { ...(document as CollaborationState), user_id: userId };
    throw new CorruptDataError(
      `not a collaboration state: ${shownPointer(fault.pointer) || "the top"}: ${fault.reason}.`,
      {
        path,
      },
    );
  }

  /**
   * Returns the ids of all users with a saved state, sorted by code point. Users whose state file is damaged are
   * included.
   *
   * @example
   * ```ts
   * const states = new StateManager("state");
   * states.saveState("alice", { user_id: "alice", trust_level: 0.7 });
   * console.log(states.listUsers()); // [ 'alice' ]
   * ```
   */
  listUsers(): string[] {
    assertNoMore("listUsers", arguments, 0);
    return this.#files.list().sort((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right)));
  }

  /**
   * Removes a user's state.
   *
   * @returns True if there was one.
   *
   * @example
   * ```ts
   * const states = new StateManager("state");
   * states.saveState("alice", { user_id: "alice", trust_level: 0.7 });
   * console.log(states.deleteState("alice"), states.deleteState("alice")); // true false
   * ```
   */
  deleteState(userId: string): boolean {
    assertNoMore("deleteState", arguments, 1);
    assertIdentifier("userId", userId);
    return this.#files.remove(userId);
  }
}

function readDocument(bytes: Uint8Array, path: string, nonFinite: NonFinite | undefined): unknown {
  try {
    return decodeJson(bytes, path, nonFinite);
  } catch (cause) {
    if (!(cause instanceof PerduraError)) throw cause;
    const subject = cause instanceof JSONDecodeError ? `${path}:${cause.line}:${cause.column}` : path;
    throw new CorruptDataError(`${cause.reason}`, { subject, path, cause });
  }
}
