import type { McpServer } from "@modelcontextprotocol/server";
import type { Pattern } from "@perdura/internals/patterns/pattern.js";
import { stringifyExact } from "@perdura/internals/json/exact_numbers.js";
import { z } from "zod";
import { answer, bounded, refusal } from "../answer.ts";
import type { Loaded, Store } from "../store.ts";

/** Maximum number of characters of a long text in a list, and of one in a whole pattern. */
const [IN_LIST, WHOLE] = [300, 20_000];
const MOST_LISTED = 50;
/** Maximum number of characters of a list: ids, types and agents have no limit of their own. */
const LONGEST_LIST = 60_000;
const MOST_TAGS = 20;

/** Adds the tools that find and show patterns. */
export function addFindTools(server: McpServer, store: Store): void {
  server.registerTool(
    "find_patterns",
    {
      title: "Find patterns",
      description:
        "Search the shared library of patterns: reusable lessons, procedures and code that agents have learned. Call this before you solve a problem that another agent may have solved. All given conditions must hold; without any, the most used patterns are listed. Long texts are shortened; get_pattern returns a whole pattern.",
      inputSchema: z.strictObject({
        text: z.string().optional().describe("Words that must all occur in id, name, description, type, tags or code"),
        pattern_type: z.string().optional().describe("Exact category, for example sequential"),
        tag: z.string().optional().describe("A tag that the pattern must have"),
        agent_id: z.string().optional().describe("Only patterns that this agent owns"),
        limit: z.int().min(1).max(MOST_LISTED).default(10).describe("Maximum number of patterns in the answer"),
      }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    async ({ text = "", pattern_type, tag, agent_id, limit }) => {
      const loaded = await store.load();
      if (loaded === undefined) return answer({ patterns: [], matching: 0, note: "No pattern was saved yet." });
      const words = text.toLowerCase().split(/\s+/);
      const matching = [...loaded.library.patterns.values()]
        .filter((pattern) => pattern_type === undefined || pattern.pattern_type === pattern_type)
        .filter((pattern) => tag === undefined || pattern.tags?.includes(tag) === true)
        .filter((pattern) => agent_id === undefined || pattern.agent_id === agent_id)
        .filter((pattern) => hasWords(pattern, words))
        .toSorted((one, other) => other.usage_count - one.usage_count);
      const patterns = listed(matching.slice(0, limit));
      const left = matching.length - patterns.length;
      return answer({
        patterns,
        matching: matching.length,
        ...(left > 0 ? { note: `The most used patterns are shown, ${left} others are not.` } : {}),
        ...(loaded.invalid.length > 0 ? { unreadable: loaded.invalid.length } : {}),
      });
    },
  );
  server.registerTool(
    "get_pattern",
    {
      title: "Get a pattern",
      description: "Return one pattern of the shared library with all its fields: description, context, code, use.",
      inputSchema: z.strictObject({ id: z.string().describe("Id of the pattern, as find_patterns returns it") }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    async ({ id }) => {
      const loaded = await store.load();
      const pattern = loaded?.library.get(id);
      return pattern === undefined
        ? refusal(unreadable(id, loaded) ?? unknown(id))
        : answer({ pattern: whole(pattern) });
    },
  );
}

/** The message for the id of a pattern that is stored and cannot be read; undefined for another id. */
export function unreadable(id: string, loaded: Loaded | undefined): string | undefined {
  const problem = loaded?.invalid.find((each) => each.id === id);
  if (problem === undefined) return undefined;
  const reason = bounded(problem.reason, IN_LIST);
  return `The pattern with the id ${JSON.stringify(bounded(id, IN_LIST))} cannot be read: ${reason}. Nothing was changed. perdura-migrate plan shows how a person can correct it.`;
}

/** The message for an id that the library does not have. */
export function unknown(id: string): string {
  return `The library has no pattern with the id ${JSON.stringify(bounded(id, IN_LIST))}. find_patterns lists ids.`;
}

function hasWords(pattern: Pattern, words: readonly string[]): boolean {
  const { id, name, description, pattern_type, tags, code } = pattern;
  const searched = [id, name, description, pattern_type, ...(tags ?? []), code].join("\n").toLowerCase();
  return words.every((word) => searched.includes(word));
}

/** As many of the patterns as a list may hold. */
function listed(patterns: readonly Pattern[]): Record<string, unknown>[] {
  const shown: Record<string, unknown>[] = [];
  let length = 0;
  for (const pattern of patterns) {
    const facts = brief(pattern);
    length += JSON.stringify(facts).length;
    if (length > LONGEST_LIST) break;
    shown.push(facts);
  }
  return shown;
}

/** The facts by which a model chooses a pattern. */
function brief(pattern: Pattern): Record<string, unknown> {
  const { id, agent_id, pattern_type, confidence, usage_count, success_count, failure_count, last_used } = pattern;
  return {
    id,
    name: bounded(pattern.name, IN_LIST),
    description: pattern.description === null ? null : bounded(pattern.description, IN_LIST),
    pattern_type,
    tags: pattern.tags?.slice(0, MOST_TAGS).map((tag) => bounded(tag, IN_LIST)) ?? null,
    agent_id,
    confidence,
    usage_count,
    success_count,
    failure_count,
    last_used,
    has_code: pattern.code !== null,
  };
}

function whole(pattern: Pattern): Record<string, unknown> {
  const { name, description, code, context } = pattern;
  const text = context === null ? "" : stringifyExact(context);
  return {
    ...pattern,
    name: bounded(name, IN_LIST),
    description: description === null ? null : bounded(description, WHOLE),
    code: code === null ? null : bounded(code, WHOLE),
    // A part of a document would be no document.
    context: text.length > WHOLE ? bounded(text, WHOLE) : context,
  };
}
