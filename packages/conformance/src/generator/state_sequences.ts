import fc from "fast-check";
import type { Step } from "../corpus/case.ts";
import type { JsonObject, JsonValue } from "../values/json_value.ts";
import { COUNT, FRACTION, LEVEL, PLAIN_USER_IDS, TIMESTAMP, closing } from "./generated_values.ts";
import { SharedPlace } from "./shared_place.ts";
import type { SequenceKind } from "./sequence_kind.ts";

type Operation =
  | { do: "save"; second: boolean; user: number; state: JsonObject }
  | { do: "load" | "delete"; second: boolean; user: number }
  | { do: "list"; second: boolean }
  | { do: "settle" | "kill" | "age" };

/** Calls on one directory of states by up to two managers. */
export interface StateSequence {
  users: readonly string[];
  operations: readonly Operation[];
}

/** A state of section 2.8 without its `user_id`. */
const STATE: fc.Arbitrary<JsonObject> = fc.record(
  {
    trust_level: FRACTION,
    current_level: LEVEL,
    target_level: LEVEL,
    interaction_count: COUNT,
    success_count: COUNT,
    failure_count: COUNT,
    last_interaction: TIMESTAMP,
    created_at: TIMESTAMP,
  },
  { noNullPrototype: true },
);

const USER = fc.nat({ max: 5 });
/** A second manager is used less: it may be refused, which ends the sequence. */
const SECOND = fc.nat({ max: 6 }).map((number) => number === 6);

const OPERATION: fc.Arbitrary<Operation> = fc.oneof(
  { arbitrary: fc.record({ do: fc.constant("save" as const), second: SECOND, user: USER, state: STATE }), weight: 6 },
  {
    arbitrary: fc.record({
      do: fc.constantFrom("load" as const, "load" as const, "delete" as const),
      second: SECOND,
      user: USER,
    }),
    weight: 6,
  },
  { arbitrary: fc.record({ do: fc.constant("list" as const), second: SECOND }), weight: 3 },
  { arbitrary: closing("settle"), weight: 2 },
  { arbitrary: fc.record({ do: fc.constant("age" as const) }), weight: 1 },
);

/** Sections 2.8 and 4.4: a state is loaded as it was saved last, until it is deleted. */
export const STATE_SEQUENCES: SequenceKind<StateSequence> = {
  sequences: () =>
    // Operations are left out before ids are shortened.
    fc.record({ operations: fc.array(OPERATION, { minLength: 1, maxLength: 30, size: "max" }), users: PLAIN_USER_IDS }),
  steps: (sequence) => new StateModel(sequence).steps(),
};

const DIRECTORY = "states";

/** The states that must be stored, and the steps with the answers that follow from them. */
class StateModel {
  readonly #sequence: StateSequence;
  readonly #states: Map<string, JsonObject> = new Map();
  readonly #steps: Step[] = [];
  readonly #managers: SharedPlace = new SharedPlace(this.#steps, {
    call: "StateManager",
    args: { state_dir: { $path: DIRECTORY } },
  });

  constructor(sequence: StateSequence) {
    this.#sequence = sequence;
  }

  steps(): Step[] {
    for (const one of this.#sequence.operations) this.#add(one);
    this.#managers.close({ settle: true });
    this.#managers.call(false, "list_users", {}, { expect: { ok: { $set: [...this.#states.keys()] } } });
    for (const user of this.#states.keys())
      this.#managers.call(false, "load_state", { user_id: user }, { expect: { ok: this.#loaded(user) } });
    return this.#steps;
  }

  #add(one: Operation): void {
    switch (one.do) {
      case "save": {
        const user = this.#userAt(one.user);
        const state = { user_id: user, ...one.state };
        this.#managers.call(one.second, "save_state", { user_id: user, state });
        this.#states.set(user, state);
        return;
      }
      case "load": {
        const user = this.#userAt(one.user);
        return this.#managers.call(one.second, "load_state", { user_id: user }, { expect: { ok: this.#loaded(user) } });
      }
      case "delete": {
        const user = this.#userAt(one.user);
        return this.#managers.call(
          one.second,
          "delete_state",
          { user_id: user },
          { expect: { ok: this.#states.delete(user) } },
        );
      }
      case "list":
        return this.#managers.call(
          one.second,
          "list_users",
          {},
          { expect: { ok: { $set: [...this.#states.keys()] } } },
        );
      case "settle":
        return this.#managers.close({ settle: true });
      case "kill":
        return this.#managers.kill();
      case "age":
        if (this.#states.size > 0) this.#managers.close({ age: DIRECTORY, days: 400 });
    }
  }

  #userAt(index: number): string {
    const { users } = this.#sequence;
    return users[index % users.length] as string;
  }

  /** The answer to `load_state`: times may come back in another form. */
  #loaded(user: string): JsonValue {
    const state = this.#states.get(user);
    if (state === undefined) return null;
    const { last_interaction, created_at } = state;
    return {
      ...state,
      last_interaction: { $timestamp: "any", moment: last_interaction as string },
      created_at: { $timestamp: "any", moment: created_at as string },
    };
  }
}
