// An MCP server: a function around registerTool records the calls of every tool.
import { Client } from "@modelcontextprotocol/client";
import { InMemoryTransport, McpServer } from "@modelcontextprotocol/server";
import { MetricsCollector } from "perdura";
import { z } from "zod";
import { book, search } from "./tools.mjs";
import { whichToolFails } from "./which_tool_fails.mjs";

const metrics = new MetricsCollector("mcp_server.db");
const server = new McpServer({ name: "travel", version: "1.0.0" });

function registerRecordedTool(name, config, run) {
  server.registerTool(name, config, async (input, context) => {
    const start = performance.now();
    let success = false;
    try {
      const result = await run(input, context);
      success = result.isError !== true;
      return result;
    } finally {
      metrics.recordMetric("alice", success, performance.now() - start, { tool: name });
    }
  });
}

const inputSchema = z.object({ city: z.string() });
for (const [name, run] of Object.entries({ search, book }))
  registerRecordedTool(name, { inputSchema }, async (input) => ({
    content: [{ type: "text", text: await run(input) }],
  }));

// An agent calls the tools.
const client = new Client({ name: "agent", version: "1.0.0" });
const [one, other] = InMemoryTransport.createLinkedPair();
await Promise.all([server.connect(one), client.connect(other)]);
for (const name of ["search", "book", "search", "book"]) await client.callTool({ name, arguments: { city: "Oslo" } });
await client.close();

whichToolFails(metrics);
metrics.close();
