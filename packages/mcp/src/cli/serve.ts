import { once } from "node:events";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { EXIT } from "@perdura/cli/exit_codes.js";
import { has, valueOf } from "@perdura/cli/option_table.js";
import type { Runner } from "@perdura/cli/run_program.js";
import { redactSecrets } from "@perdura/internals/terminal/redact_secrets.js";
import { perduraServer } from "../server.ts";
import { openStore } from "../store.ts";
import type { Command, OptionName } from "./table.ts";

/** Serves one client on stdin and stdout until it closes stdin. */
export const serve: Runner<Command, OptionName> = async (given) => {
  const [place = ""] = given.words;
  const write = has(given, "write");
  const store = await openStore(place, { write, schema: valueOf(given, "schema") });
  const ended = once(process.stdin, "end");
  const connection = serveStdio(() => perduraServer(store, { write, agent: valueOf(given, "agent") }), {
    onerror: ({ message }) => process.stderr.write(`perdura-mcp: ${redactSecrets(message)}\n`),
  });
  await ended;
  await store.close();
  await connection.close();
  return { code: EXIT.done, summary: "", document: null, text: "", isLaidOut: true };
};
