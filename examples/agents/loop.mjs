// A loop of your own: a function around each tool records its calls.
import { MetricsCollector } from "perdura";
import { book, search } from "./tools.mjs";
import { whichToolFails } from "./which_tool_fails.mjs";

const metrics = new MetricsCollector("loop.db");

const recorded = (tool, run) => async (input) => {
  const start = performance.now();
  let success = false;
  try {
    const result = await run(input);
    success = true;
    return result;
  } finally {
    metrics.recordMetric("alice", success, performance.now() - start, { tool });
  }
};

const tools = { search: recorded("search", search), book: recorded("book", book) };
// The answers of a model.
const calls = ["search", "book", "search", "book"];
for (const name of calls) await tools[name]({ city: "Oslo" }).catch((error) => error.message);

whichToolFails(metrics);
metrics.close();
