import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as FormerClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as FormerTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { onTestFinished } from "vitest";
import { programWords } from "../../../test/programs.ts";

/** Answer of a tool: the document, or the message of a refusal. */
export interface Said {
  document?: Record<string, unknown>;
  refused?: string;
}

/** A connected client. */
export interface Agent {
  tools(): Promise<{ name: string; description?: string | undefined }[]>;
  call(name: string, words?: Record<string, unknown>): Promise<Said>;
  instructions(): string | undefined;
  /** The version that client and server agreed on, if the client knows it. */
  protocol?: string | undefined;
  close(): Promise<void>;
}

const words = (...given: string[]): { command: string; args: string[]; stderr: "inherit" } => ({
  command: process.execPath,
  args: [...programWords(new URL("../src/cli.ts", import.meta.url)), ...given],
  stderr: "inherit",
});

/** A tool's answer of either client. */
function said(result: unknown): Said {
  const { content, isError, structuredContent } = result as {
    content: { text: string }[];
    isError?: boolean;
    structuredContent?: Record<string, unknown>;
  };
  const [{ text } = { text: "" }] = content;
  if (isError === true) return { refused: text };
  const document = JSON.parse(text) as Record<string, unknown>;
  // The text for the model and the data for programs are the same.
  if (JSON.stringify(structuredContent) !== text) throw new Error(`${text} differs from structuredContent`);
  return { document };
}

/** The official client, started with perdura-mcp and these arguments; closed after the test. */
export const newClient = (...given: string[]): Promise<Agent> => officialClient("legacy", given);

/** The official client, which asks for the newest protocol first, in a process of its own. */
export const modernClient = (...given: string[]): Promise<Agent> => officialClient("auto", given);

async function officialClient(mode: "legacy" | "auto", given: string[]): Promise<Agent> {
  const client = new Client({ name: "test", version: "1.0.0" }, { versionNegotiation: { mode } });
  await client.connect(new StdioClientTransport(words(...given)));
  onTestFinished(() => client.close());
  return {
    tools: async () => (await client.listTools()).tools,
    call: async (name, input = {}) => said(await client.callTool({ name, arguments: input })),
    instructions: () => client.getInstructions(),
    protocol: client.getNegotiatedProtocolVersion(),
    close: () => client.close(),
  };
}

/** The client of version 1 of the SDK, which many programs still have. */
export async function formerClient(...given: string[]): Promise<Agent> {
  const client = new FormerClient({ name: "test", version: "1.0.0" });
  await client.connect(new FormerTransport(words(...given)));
  onTestFinished(() => client.close());
  return {
    tools: async () => (await client.listTools()).tools,
    call: async (name, input = {}) => said(await client.callTool({ name, arguments: input })),
    instructions: () => client.getInstructions(),
    close: () => client.close(),
  };
}
