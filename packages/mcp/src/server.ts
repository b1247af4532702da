import { McpServer } from "@modelcontextprotocol/server";
import { addFindTools } from "./tools/find_patterns.ts";
import { addMetricsTools } from "./tools/metrics.ts";
import { addWriteTools } from "./tools/write_patterns.ts";
import type { Store } from "./store.ts";
import { VERSION } from "./version.ts";

/** Settings of {@link perduraServer}. */
export interface ServerOptions {
  /** Adds the tools that write; false by default. */
  write?: boolean | undefined;
  /** Agent id of everything that is written; without it, each call names its agent. */
  agent?: string | undefined;
}

const READING =
  "A shared, lasting library of patterns (what agents learned and others can use) and metrics about the interactions of users. Search it with find_patterns before you solve a problem, and read a pattern with get_pattern.";
const WRITING =
  " After you used a pattern, call record_pattern_use. When you learned something that others can use, call contribute_pattern.";

/**
 * Makes an MCP server for data that {@link openStore} opened, for any transport of the official SDK. Each connection
 * needs its own server; they may share the data.
 *
 * @example
 * ```ts
 * const store = await openStore("data", { write: true });
 * const server = perduraServer(store, { write: true, agent: "reviewer" });
 * console.log(server.isConnected()); // false
 * await store.close();
 * ```
 */
export function perduraServer(store: Store, { write = false, agent }: ServerOptions = {}): McpServer {
  const server = new McpServer(
    { name: "perdura", version: VERSION },
    { instructions: write ? READING + WRITING : READING },
  );
  addFindTools(server, store);
  addMetricsTools(server, store);
  if (write) addWriteTools(server, store, agent);
  return server;
}
