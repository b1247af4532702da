// An adapter that saves nothing. It records its arguments, tries to send commands to the runner, and to write an output
// of the step.
import { appendFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

if (process.env.WORDS_FILE) writeFileSync(process.env.WORDS_FILE, JSON.stringify(process.argv.slice(2)));
if (process.env.GITHUB_OUTPUT) appendFileSync(process.env.GITHUB_OUTPUT, "forged<<x\nyes\nx\n");

const introduction = {
  protocol: 1,
  spec_version: "16.0.0",
  implementation: { name: "forgetful [x](https://example.org) <b>", version: "1.0.0", language: "JavaScript" },
  capabilities: ["patterns_json"],
  choices: {},
};

for await (const line of createInterface({ input: process.stdin })) {
  const { seq, type, op } = JSON.parse(line);
  const answer = type === "hello" ? introduction : type === "call" ? called(op) : {};
  console.log(JSON.stringify({ seq, type: "ok", ...answer }));
  if (type === "bye") break;
}

function called(op) {
  if (op !== "load_from_json") return { value: null };
  return { type: "error", kind: "other", native: "Forgotten", message: "x\n::error::said by what is judged" };
}
