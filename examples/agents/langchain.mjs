// LangChain.js: a callback handler records every tool of a run.
import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { tool } from "@langchain/core/tools";
import { MetricsCollector } from "perdura";
import { z } from "zod";
import { book, search } from "./tools.mjs";
import { whichToolFails } from "./which_tool_fails.mjs";

class PerduraHandler extends BaseCallbackHandler {
  name = "perdura";
  #started = new Map();

  constructor(metrics, user) {
    super();
    this.record = (runId, success) => {
      const { tool: name, start } = this.#started.get(runId);
      this.#started.delete(runId);
      metrics.recordMetric(user, success, performance.now() - start, { tool: name });
    };
  }
  handleToolStart(serialized, input, runId, parent, tags, metadata, name) {
    this.#started.set(runId, { tool: name ?? serialized.name, start: performance.now() });
  }
  handleToolEnd(output, runId) {
    this.record(runId, true);
  }
  handleToolError(error, runId) {
    this.record(runId, false);
  }
}

const metrics = new MetricsCollector("langchain.db");
const callbacks = [new PerduraHandler(metrics, "alice")];

const schema = z.object({ city: z.string() });
const tools = { search: tool(search, { name: "search", schema }), book: tool(book, { name: "book", schema }) };
// The answers of a model.
const calls = ["search", "book", "search", "book"];
for (const name of calls) await tools[name].invoke({ city: "Oslo" }, { callbacks }).catch((error) => error.message);

whichToolFails(metrics);
metrics.close();
