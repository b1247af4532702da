import { closeSync, openSync, writeSync } from "node:fs";
import { type Pattern, PatternLibrary } from "@perdura/v16";

/** A pattern of realistic size and content: about 850 bytes of JSON. */
function typicalPattern(index: number): Pattern {
  return {
    id: `pat_${index}`,
    agent_id: `agent-${index % 12}`,
    pattern_type: ["sequential", "temporal", "conditional"][index % 3] as string,
    name: `Add error handling ${index}`,
    description: "Suggest error handling for API calls that reach the network and may fail half-way",
    context: { task: "api_call", hour: index % 24, ratio: index / 7, nested: { list: [1, 2, 3], flag: true } },
    code: "def f():\n    try:\n        return call()\n    except Error:\n        return None\n".repeat(2),
    confidence: 1 / (1 + (index % 9)),
    usage_count: 0,
    success_count: 0,
    failure_count: 0,
    tags: ["error-handling", "api", `t${index % 40}`],
    discovered_at: "2025-01-15T10:30:00.123456",
    last_used: null,
  };
}

export function typicalLibrary(patterns: number): PatternLibrary {
  const library = new PatternLibrary();
  for (let index = 0; index < patterns; index += 1) {
    const pattern = typicalPattern(index);
    library.contribute(pattern.agent_id, pattern);
  }
  return library;
}

/** Writes the file of a typical library without building it in memory: a million patterns are a gigabyte. */
export const writeTypicalFile = (path: string, patterns: number): void => writeFile(path, patterns, String);

/** Writes the same as a pre-16 program, with `NaN` in the first pattern. */
export const writeInvalidFile = (path: string, patterns: number): void =>
  writeFile(path, patterns, (text, index) => (index === 0 ? text.replace('"ratio": 0', '"ratio": NaN') : text));

function writeFile(path: string, patterns: number, change: (text: string, index: number) => string): void {
  const descriptor = openSync(path, "w");
  const write = bufferedWriter(descriptor);
  write.text('{\n  "patterns": [');
  for (let index = 0; index < patterns; index += 1) {
    const text = JSON.stringify(typicalPattern(index), null, 2).replaceAll("\n", "\n    ");
    write.text(`${index === 0 ? "" : ","}\n    ${change(text, index)}`);
  }
  write.text('\n  ],\n  "metadata": { "version": "1.0" }\n}\n');
  write.end();
  closeSync(descriptor);
}

/** The simplest way to write much text: through one buffer. */
export function bufferedWriter(descriptor: number): { text: (chunk: string) => void; end: () => void } {
  const buffer = Buffer.allocUnsafe(1 << 16);
  let filled = 0;
  const end = (): void => {
    writeSync(descriptor, buffer, 0, filled);
    filled = 0;
  };
  return {
    text: (chunk) => {
      if (3 * chunk.length > buffer.length - filled) end();
      filled += buffer.write(chunk, filled);
    },
    end,
  };
}
