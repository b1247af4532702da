import { expect, inject, test } from "vitest";
import { BareFolder } from "../src/bare_folder.ts";

test("an agent finds a pattern of a program by the installed perdura-mcp", () => {
  const folder = new BareFolder(inject("npmRegistry"));
  folder.install("perdura@latest", "@perdura/mcp", "@modelcontextprotocol/client@2");
  expect(
    folder.program(
      `
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { openPersistence, PatternLibrary } from "perdura";

const persistence = openPersistence({ persistence_path: "data" });
const library = new PatternLibrary();
library.contribute("program", { id: "retry-once", pattern_type: "sequential", name: "Retry once" });
persistence.patterns.save(library);
persistence.close();

const agent = new Client({ name: "agent", version: "1.0.0" });
const args = ["node_modules/@perdura/mcp/bin/perdura-mcp.js", "data", "--write", "--agent", "agent-1"];
await agent.connect(new StdioClientTransport({ command: process.execPath, args }));
const call = async (name, words) => (await agent.callTool({ name, arguments: words })).structuredContent;
await call("record_pattern_use", { pattern_id: "retry-once", success: true });
const { patterns } = await call("find_patterns", { text: "retry" });
console.log(patterns[0].id, patterns[0].usage_count);
await agent.close();`,
      "program.mjs",
    ),
  ).toBe("retry-once 1\n");
});
