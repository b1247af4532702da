import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isObject, isTaggedNumber, tokenOf } from "../../values/json_value.ts";
import type { JsonObject, JsonValue } from "../../values/json_value.ts";
import { answers, ok, row } from "./mutations.ts";
import type { Mutant, Mutation } from "./mutations.ts";
import { lists, loads, raises, saves, touches } from "./state_file_mutations.ts";

/** The same state with every value in it changed, from the outside in. */
const everywhere =
  (change: (part: JsonValue, depth: number) => JsonValue) =>
  (state: JsonObject): JsonValue => {
    const walk = (value: JsonValue, depth: number): JsonValue => {
      const changed = change(value, depth);
      if (Array.isArray(changed)) return changed.map((item) => walk(item, depth + 1));
      if (!isObject(changed) || isTaggedNumber(changed)) return changed;
      return Object.fromEntries(Object.entries(changed).map(([key, part]) => [key, walk(part, depth + 1)]));
    };
    return walk(state, 0);
  };
const texts = (change: (text: string) => string): ((state: JsonObject) => JsonValue) =>
  everywhere((part) => (typeof part === "string" ? change(part) : part));
const mutant = (name: string, requirement: string, kills: string, mutation: Mutation): Mutant =>
  row(name, requirement, 15, kills, mutation);

/** Lists the users the other way round every second time. */
function restless(): Mutation {
  let times = 0;
  return lists((users) => (times++ % 2 === 0 ? users : users.toReversed()));
}

/** Remembers what each manager loaded. */
function caching(): Mutation {
  const loaded = new Map<string, JsonValue>();
  return {
    answer(request, answer) {
      if (request.op === "StateManager") loaded.clear();
      if (request.op !== "load_state") return answer;
      const key = `${request.handle} ${String(request.args.user_id)}`;
      if ("value" in answer && !loaded.has(key)) loaded.set(key, answer.value as JsonValue);
      return ok(answer, loaded.get(key));
    },
  };
}

/** State managers that are wrong about unusual text, sizes, orders of calls and files of others. */
export const STATE_TEXT_MUTANTS: readonly Mutant[] = [
  mutant(
    "reads numbers as doubles",
    "U-state-extra",
    "state/extra-numbers",
    loads(everywhere((part) => (isTaggedNumber(part) ? Math.min(Number(tokenOf(part)), Number.MAX_VALUE) : part))),
  ),
  mutant(
    "takes a NUL in a user id",
    "U-text",
    "state/unfit-ids",
    answers("save_state", (answer, { args }) => (String(args.user_id).includes("\0") ? ok(answer) : answer)),
  ),
  mutant(
    "knows nobody with an empty id",
    "U-text",
    "state/unfit-ids",
    answers("load_state", (answer, { args }) => (args.user_id === "" ? ok(answer) : answer)),
  ),
  mutant("replaces lone surrogates", "U-text", "state/any-text", saves(texts((text) => Buffer.from(text).toString()))),
  mutant("ends text at a NUL", "U-text", "state/any-text", loads(texts((text) => text.split("\0")[0] as string))),
  mutant(
    "refuses to delete before the first save",
    "U-lifecycle",
    "state/any-order",
    answers("delete_state", (answer) =>
      "value" in answer && answer.value === true ? answer : raises(answer, "Error"),
    ),
  ),
  mutant(
    "holds counts in 32 bits",
    "U-limits",
    "state/limits",
    loads((state) => ({ ...state, success_count: Number(state.success_count) | 0 })),
  ),
  mutant(
    "refuses states of more than a megabyte",
    "U-limits",
    "state/limits",
    answers("save_state", (answer, { args }) => (JSON.stringify(args).length > 1e6 ? raises(answer, "Error") : answer)),
  ),
  mutant(
    "loses a key that is called __proto__",
    "X-ordinary-keys",
    "state/ordinary-keys-inside",
    loads((state) => Object.fromEntries(Object.entries(state).filter(([key]) => key !== "__proto__"))),
  ),
  mutant(
    "leaves a temporary file",
    "X-no-leftovers",
    "state/no-leftovers",
    touches("save_state", (directory) => writeFileSync(join(directory, "alice.json.tmp"), "{}")),
  ),
  mutant(
    "begins to write before it looks at the state",
    "X-failed-save",
    "state/failed-save",
    touches("save_state", (directory, { args }, answer) => {
      if (answer.type === "error") writeFileSync(join(directory, `${String(args.user_id)}.json`), "");
    }),
  ),
  mutant(
    "lists a hundred users",
    "X-many",
    "state/many-users",
    lists((users) => users.slice(0, 100)),
  ),
  mutant("cuts text to 64 KiB", "X-long-text", "state/long-text", saves(texts((text) => text.slice(0, 65_536)))),
  mutant(
    "goes down sixty-four levels",
    "X-deep-values",
    "state/deep-values",
    saves(everywhere((part, depth) => (depth > 64 ? null : part))),
  ),
  mutant(
    "writes a file anew when it loads it",
    "X-files-untouched",
    "state/files-untouched",
    touches("load_state", (directory) => {
      for (const name of existsSync(directory) ? readdirSync(directory) : []) {
        const file = join(directory, name);
        writeFileSync(file, JSON.stringify(JSON.parse(readFileSync(file, "utf8"))));
      }
    }),
  ),
  mutant("lists users in no fixed order", "X-repeatable", "state/repeatable", restless()),
  mutant("remembers what it loaded", "X-two-handles", "state/two-handles", caching()),
];
