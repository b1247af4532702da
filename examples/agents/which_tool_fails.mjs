/** Prints the calls and the failures of each tool. */
export function whichToolFails(metrics) {
  for (const { value: tool, total_operations: calls, success_rate } of metrics.getBreakdown("tool"))
    if (typeof tool === "string")
      console.log(`${tool}: ${calls} calls, ${Math.round(calls * (1 - success_rate))} failed`);
}
