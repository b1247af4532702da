import type { Invocation, ProgramTable } from "@perdura/cli/program_table.js";
import { POSTGRES_ADDRESS, POSTGRES_SCHEMA } from "@perdura/cli/postgres_words.js";
import { UsageError } from "@perdura/cli/usage_error.js";
import { mayHoldSecret, redactSecrets } from "@perdura/internals/terminal/redact_secrets.js";
import { isAddress, isMistypedAddress, isPostgresAddress } from "@perdura/internals/text/addresses.js";

export type Command = "serve";

export type OptionName = "write" | "agent" | "schema";

/** The command line of the program. */
export type Arguments = Invocation<Command, OptionName>;

const SERVE: readonly Command[] = ["serve"];

/** Arguments, options and help texts of perdura-mcp. */
export const TABLE: ProgramTable<Command, OptionName> = {
  name: "perdura-mcp",
  summary: "Serve a pattern library and metrics to agents, by the Model Context Protocol",
  details:
    "A client such as an editor or an agent starts this program and talks to it on stdin and stdout. It serves the files patterns.db and metrics.db of a directory, or the tables in PostgreSQL. Any number of agents and programs may use them at the same time.\n\nAgents can only read, unless --write is given.\n\nPostgreSQL requires the packages @perdura/postgres and pg. Put an address with a password into PERDURA_POSTGRES_URL, and write postgres:// as the argument.",
  examples: [
    "perdura-mcp data",
    "perdura-mcp data --write --agent reviewer",
    "perdura-mcp postgres://localhost/agents",
  ],
  commands: {
    serve: {
      summary: "Serve until the client closes stdin",
      words: [
        {
          name: "PLACE",
          meaning: "the directory of the databases, or an address that begins postgres://",
          ...POSTGRES_ADDRESS,
        },
      ],
      examples: ["perdura-mcp data --write"],
    },
  },
  defaultCommand: "serve",
  options: {
    write: {
      commands: SERVE,
      help: "let agents contribute patterns and record their use; a missing directory is created",
    },
    agent: {
      value: "AGENT",
      namesNoFile: true,
      commands: SERVE,
      help: "agent id of everything that is written; without it, each call names its agent",
    },
    schema: { ...POSTGRES_SCHEMA, default: "perdura", commands: SERVE },
  },
  // Stdout belongs to the protocol.
  commonOptions: ["help"],
  synonyms: {},
  exits: {
    0: "the client closed stdin",
    1: "failed",
    2: "wrong usage, or no such directory",
    3: null,
    4: null,
    5: null,
  },
  check,
  secrets: { mayHoldSecret, redactSecrets },
};

/** @throws UsageError for an address of another kind. It may contain a password, and is not shown. */
function check({ words: [place = ""], given }: Arguments): void {
  const isServer = isPostgresAddress(place);
  if (!isServer && (isAddress(place) || isMistypedAddress(place)))
    throw new UsageError(
      "got an address that is not accepted; it is not shown, because it may contain a password. Addresses of servers begin postgres://. If it is a path, write ./ before it.",
    );
  if (!isServer && given.some(({ name }) => name === "schema"))
    throw new UsageError("--schema requires an address that begins postgres://.");
}
