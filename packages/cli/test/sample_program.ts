import type { ProgramTable } from "../src/program_table.ts";
import type { Program } from "../src/run_program.ts";
import { DecisionNeeded, UsageError } from "../src/usage_error.ts";

type Command = "copy" | "show" | "fail";
type Option = "to" | "way" | "tag" | "id" | "force";

/** A program with an option of every kind; `copy` prints its arguments. */
export const SAMPLE: Program<Command, Option> = {
  table: {
    name: "perdura-sample",
    summary: "Copy things for a test",
    examples: ["perdura-sample copy a b --to c"],
    commands: {
      copy: {
        summary: "Copy things from one place to another",
        words: [
          {
            name: "PLACE",
            meaning: "the place of the things",
            env: "SAMPLE_PLACE",
            isIt: (word) => word.startsWith("at:"),
          },
          { name: "THING", meaning: "a thing", optional: true, repeatable: true },
        ],
        details: "Details of copying that are long enough to be broken into two lines of at most eighty columns.",
        examples: ["perdura-sample copy at:here one --to there"],
      },
      show: { summary: "Show all things", words: [], examples: ["perdura-sample show"] },
      fail: {
        summary: "Fail in a given way",
        words: [{ name: "WAY", meaning: "a way to fail", namesNoFile: true }],
        examples: ["perdura-sample fail usage"],
      },
    },
    options: {
      to: { short: "t", value: "PATH", expected: "a path", required: true, commands: ["copy"], help: "copy to here" },
      way: {
        value: "WAY",
        choices: ["fast", "slow"],
        default: "fast",
        env: "SAMPLE_WAY",
        commands: ["copy", "show"],
        help: "copy: [this] way",
      },
      tag: { value: "N", pattern: /^\d+$/, expected: "a number", repeatable: true, commands: ["copy"], help: "tag it" },
      id: { value: "ID", namesNoFile: true, commands: ["copy"], help: "name it" },
      force: { commands: ["copy"], help: "replace existing things", instead: { show: "show replaces nothing." } },
    },
    synonyms: { cp: "copy" },
    environment: { SAMPLE_HOME: "the home of the sample" },
    exits: { 5: null, 4: "things differ" },
    secrets: {
      mayHoldSecret: (word) => word.includes("hunter2"),
      redactSecrets: (text) => text.replaceAll("hunter3", "…"),
    },
  },
  version: () => "1.2.3",
  load: {
    copy: async () => async (given) => ({
      code: 0,
      summary: "Copied.",
      document: { words: given.words, given: given.given },
      text: `${"long ".repeat(30)}\nCopied.`,
    }),
    show:
      async () =>
      async (_given, { say, colour }) => {
        say("first");
        const text = `${"long ".repeat(30)}${colour ? "colour" : "plain"}\n`;
        return { code: 4, summary: "Shown.", document: [{ a: 1 }, { a: 2 }], isJsonLines: true, text, isLaidOut: true };
      },
    fail:
      async () =>
      async ({ words: [way] }) => {
        if (way === "usage") throw new UsageError("It is hunter3.");
        if (way === "decision") throw new DecisionNeeded("Decide first.");
        throw new TypeError("a fault");
      },
  },
};

/** A table with groups of commands and a default command. */
export const GROUPED: ProgramTable<"overview" | "things list" | "things show" | "watch", "limit"> = {
  name: "perdura-grouped",
  summary: "Show things for a test",
  examples: ["perdura-grouped place"],
  commands: {
    overview: {
      summary: "Show everything",
      words: [{ name: "PATH", meaning: "a path", repeatable: true }],
      examples: ["perdura-grouped place"],
    },
    "things list": {
      summary: "List things",
      words: [{ name: "PATH", meaning: "a path" }],
      examples: ["perdura-grouped things list place"],
    },
    "things show": {
      summary: "Show a thing",
      words: [
        { name: "PATH", meaning: "a path" },
        { name: "ID", meaning: "a thing" },
      ],
      examples: ["perdura-grouped things show place one"],
    },
    watch: {
      summary: "Watch",
      words: [{ name: "PATH", meaning: "a path" }],
      examples: ["perdura-grouped watch place"],
    },
  },
  defaultCommand: "overview",
  options: { limit: { value: "N", pattern: /^\d+$/, commands: ["overview", "things list"], help: "at most N" } },
  synonyms: {},
  secrets: { mayHoldSecret: () => false, redactSecrets: (text) => text },
};
