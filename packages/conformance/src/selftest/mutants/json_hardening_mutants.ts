import { writeFileSync } from "node:fs";
import { eachObject, gives, readIfThere, writes, writesField } from "./json_faults.ts";
import { empties, givesOnce, makesMissing, shallow } from "./json_memory_faults.ts";
import { answers, receives, row } from "./mutations.ts";
import type { Mutant } from "./mutations.ts";

/** Faults that the specification does not speak of, and that lose data all the same. */
export const JSON_HARDENING_MUTANTS: readonly Mutant[] = [
  row(
    "loses an agent with the name of a built-in property",
    "X-ordinary-keys",
    16,
    "patterns-json/ordinary-ids",
    writes(
      (library) =>
        (library.agent_contributions = Object.fromEntries(
          Object.entries(library.agent_contributions).filter(([agent]) => !(agent in {})),
        )),
    ),
  ),
  row(
    "resolves keys that begin with a dollar sign",
    "X-ordinary-keys",
    15,
    "patterns-json/matcher-like-keys",
    writesField("context", (context) =>
      eachObject(context, (object) =>
        Object.fromEntries(Object.entries(object).filter(([key]) => !key.startsWith("$"))),
      ),
    ),
  ),
  row(
    "leaves a temporary file",
    "X-no-leftovers",
    16,
    "patterns-json/no-leftovers",
    answers("save_to_json", (answer, request) => (writeFileSync(`${request.args.filepath as string}.tmp`, ""), answer)),
  ),
  row(
    "makes the file that it wants to load",
    "X-no-leftovers",
    15,
    "patterns-json/load-missing-creates-nothing",
    answers(
      "load_from_json",
      (answer, request) => (writeFileSync(request.args.filepath as string, "", { flag: "a" }), answer),
    ),
  ),
  row(
    "empties the file before it saves",
    "X-failed-save",
    16,
    "patterns-json/failed-save",
    receives("save_to_json", (args) => (writeFileSync(args.filepath as string, ""), args)),
  ),
  row(
    "saves a thousand patterns at most",
    "X-many",
    16,
    "patterns-json/many",
    writes(({ patterns }) => patterns.splice(1000)),
  ),
  row(
    "breaks a character where it reads on in the file",
    "X-many",
    15,
    "patterns-json/many-long-ids",
    gives("load_from_json", ({ patterns }) => {
      const broken = patterns[1500];
      if (broken) broken.name = (broken.name as string).replace("€", "\ufffd\ufffd");
    }),
  ),
  row(
    "cuts text at 65,535 characters",
    "X-long-text",
    15,
    "patterns-json/long-text",
    writesField("code", (code) => (code as string).slice(0, 65_535)),
  ),
  row(
    "cuts a context at fifty levels",
    "X-deep-values",
    16,
    "patterns-json/deep-values",
    writesField("context", (context) => shallow(context, 50)),
  ),
  row(
    "formats a file that it loads",
    "X-files-untouched",
    15,
    "patterns-json/files-untouched",
    answers("load_from_json", (answer, request) => {
      const file = request.args.filepath as string;
      if (answer.type === "ok") writeFileSync(file, JSON.stringify(JSON.parse(readIfThere(file) as string)));
      return answer;
    }),
  ),
  row("gives a file once", "X-repeatable", 16, "patterns-json/repeatable", givesOnce()),
  row("makes a file after it missed it", "X-repeatable", 15, "patterns-json/repeatable", makesMissing()),
  row(
    "takes the patterns out of a library that it saves",
    "X-argument-untouched",
    16,
    "patterns-json/argument-untouched",
    empties(),
  ),
];
