import type { CallToolResult, McpServer } from "@modelcontextprotocol/server";
import { isPerduraError } from "@perdura/internals/errors/errors.js";
import type { JsonObject } from "@perdura/internals/json/values.js";
import { PatternLibrary } from "@perdura/internals/patterns/library.js";
import { documentTimestamp } from "@perdura/internals/text/timestamps.js";
import { z } from "zod";
import { answer, refusal } from "../answer.ts";
import type { Store } from "../store.ts";
import { unknown, unreadable } from "./find_patterns.ts";

/** Adds the tools that contribute patterns and record their use. */
export function addWriteTools(server: McpServer, store: Store, agent: string | undefined): void {
  const inTurn = turns();
  const named = z.string().min(1).describe("Your own id as an agent; use the same one each time");
  const agent_id = agent === undefined ? named : z.literal(agent).default(agent).describe("Your id as an agent");
  server.registerTool(
    "contribute_pattern",
    {
      title: "Contribute a pattern",
      description:
        "Add a pattern to the shared library, so that other agents can use what you learned: a procedure that worked, a mistake to avoid, a piece of code. Call find_patterns first, to avoid a second pattern for the same lesson. An existing id is refused unless replace is true; its recorded use is kept.",
      inputSchema: z.strictObject({
        agent_id,
        id: z.string().min(1).describe("New id in kebab-case that says what it is, for example retry-once-on-429"),
        pattern_type: z.string().describe("Category, for example sequential, conditional, temporal or behavioral"),
        name: z.string().describe("Short title for people"),
        description: z.string().optional().describe("When to use it, how, and why it works"),
        code: z.string().optional().describe("Source text, if there is any; it is stored, never run"),
        context: z.record(z.string(), z.json()).optional().describe("Any facts as a JSON object"),
        tags: z.array(z.string()).optional().describe("Labels for searching"),
        confidence: z.number().min(0).max(1).optional().describe("How sure you are, from 0 to 1; 0.5 by default"),
        replace: z.boolean().default(false).describe("True to replace the content of an existing pattern"),
      }),
      annotations: { destructiveHint: true, idempotentHint: true, openWorldHint: false },
    },
    ({ agent_id: owner, replace, context, ...fields }) =>
      inTurn(async () => {
        const loaded = await store.load();
        const hidden = unreadable(fields.id, loaded);
        if (hidden !== undefined) return refusal(hidden);
        const before = loaded?.library;
        const existing = before?.get(fields.id);
        if (existing !== undefined && !replace) return refusal(taken(fields.id));
        const library = existing === undefined || before === undefined ? new PatternLibrary() : only(before, fields.id);
        const { usage_count, success_count, failure_count, last_used } = existing ?? {};
        const saved = library.contribute(existing?.agent_id ?? owner, {
          ...fields,
          context: context as JsonObject | undefined,
          discovered_at: existing?.discovered_at ?? documentTimestamp(new Date()),
          usage_count,
          success_count,
          failure_count,
          last_used,
        });
        if (replace) await store.save(library);
        // Another agent may have contributed it meanwhile.
        else if ((await store.add(library)) === 0) return refusal(taken(saved.id));
        return answer({ saved: saved.id, replaced: existing !== undefined });
      }),
  );
  server.registerTool(
    "record_pattern_use",
    {
      title: "Record a use",
      description:
        "Record that you used a pattern of the shared library, and whether it helped. Call this after every use: other agents see which patterns work.",
      inputSchema: z.strictObject({
        agent_id,
        pattern_id: z.string().describe("Id of the pattern that you used"),
        success: z.boolean().describe("True if the pattern helped"),
      }),
      annotations: { destructiveHint: false, idempotentHint: false, openWorldHint: false },
    },
    ({ agent_id: user, pattern_id, success }) =>
      inTurn(async () => {
        const loaded = await store.load();
        const library = loaded?.library;
        if (library?.get(pattern_id) === undefined)
          return refusal(unreadable(pattern_id, loaded) ?? unknown(pattern_id));
        only(library, pattern_id).recordUsage(pattern_id, user, success);
        // Another agent may have replaced its content meanwhile.
        await store.add(library);
        return answer({ recorded: pattern_id, success });
      }),
  );
}

const taken = (id: string): string =>
  `The library has a pattern with the id ${JSON.stringify(id)}. Nothing was written. Choose another id, or set replace to true.`;

/** Leaves one pattern in a library: a save must not touch those that other agents change meanwhile. */
function only(library: PatternLibrary, id: string): PatternLibrary {
  for (const other of library.patterns.keys()) if (other !== id) library.patterns.delete(other);
  return library;
}

/** Runs tasks of one server one after the other, because a task loads, decides and saves. */
function turns(): (task: () => Promise<CallToolResult>) => Promise<CallToolResult> {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const result = last.then(task).catch((error: unknown) => {
      if (isPerduraError(error)) return refusal(error.message);
      throw error;
    });
    last = result.catch(() => undefined);
    return result;
  };
}
