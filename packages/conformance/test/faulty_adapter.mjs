// A small adapter for the tests of the runner, which only saves and loads JSON. The argument names one fault.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { createInterface } from "node:readline";

const fault = process.argv[2] ?? "none";
if (fault === "behind a program") {
  // As npx does: the adapter is a child process, which inherits the pipes.
  const words = [process.argv[1], "writes at the end", ...process.argv.slice(3)];
  const [code] = await once(spawn(process.execPath, words, { stdio: "inherit" }), "exit");
  process.exit(code ?? 1);
}
const buffered = [];
const kept = new Map();
let asked = 0;
let counted = 0;
let directory = "";

const introduction = {
  protocol: fault === "wrong protocol" ? 2 : 1,
  spec_version: process.argv[3] ?? "16.0.0",
  implementation: { name: "fake", version: "1.0.0", language: "JavaScript" },
  capabilities: {
    "unknown capability": ["time_travel"],
    "keeps a lock": ["patterns_json", "patterns_sqlite"],
  }[fault] ?? ["patterns_json"],
  choices:
    {
      "declares order": { "U-order": "ruled" },
      "unknown choice": { "U-oder": "ruled" },
      "mistyped answer": { "U-order": "rulled" },
    }[fault] ?? {},
};

const operations = {
  PatternLibrary: ({ args, keep }) => {
    kept.set(keep, args);
    return null;
  },
  save_to_json: ({ args, handle }) => {
    const document = {
      ...kept.get(handle),
      metadata: { version: "1.0", pattern_count: kept.get(handle).patterns.length, saved_at: new Date().toISOString() },
    };
    const write = () => writeFileSync(args.filepath, JSON.stringify(document));
    if (fault === "writes at the end") buffered.push(write);
    else write();
    if (fault === "tells its folder") throw new Error(process.cwd());
    if (fault === "tells its zone") throw new Error(Intl.DateTimeFormat().resolvedOptions().timeZone);
    if (fault === "names its place") throw new Error(`cannot write ${args.filepath}`);
    if (fault === "writes far outside") writeFileSync(join(directory, "..", "..", "far.txt"), "stray");
    if (fault === "writes outside") writeFileSync(join(directory, "..", "stray.txt"), "stray");
    return null;
  },
  save_to_sqlite: ({ args }) => {
    const database = new Database(args.db_path);
    database.exec("CREATE TABLE IF NOT EXISTS patterns (id TEXT PRIMARY KEY); BEGIN EXCLUSIVE");
    return null;
  },
  load_from_json: ({ args, keep }) => {
    if (!existsSync(args.filepath)) throw Object.assign(new Error("no such file"), { kind: "not_found" });
    const value = JSON.parse(readFileSync(args.filepath, "utf8"));
    if (keep) kept.set(keep, value);
    return value;
  },
};

function call(request) {
  if (fault === "unsupported" && request.op !== "PatternLibrary") return { type: "unsupported", reason: "not today" };
  try {
    return { type: "ok", value: operations[request.op](request) };
  } catch (error) {
    const kind = error.kind ?? (error instanceof SyntaxError ? "invalid_json" : "other");
    return { type: "error", kind, native: error.name, message: error.message };
  }
}

function writeBuffered() {
  for (const write of buffered.splice(0)) write();
}

function answer(request) {
  if (request.type === "hello") return { type: "ok", ...introduction };
  if (request.type === "call") return call(request);
  if (request.type === "begin") directory = request.directory;
  else writeBuffered();
  kept.clear();
  return { type: "ok" };
}

// Effect of each fault on the plain answer to a call.
const faults = {
  "wrong seq": (line) => line.replace(/"seq":\d+/, '"seq":999'),
  "two replies": (line) => `${line}${line}`,
  "not JSON": () => '{"value": NaN}\n',
  "noise after the answer": (line) => (setImmediate(() => process.stdout.write("done\n")), line),
  "unknown kind of error": () =>
    `${JSON.stringify({ seq: asked, type: "error", kind: "sad", native: "E", message: "" })}\n`,
  "noise on stdout": (line) => `starting up\n${line}`,
  "not UTF-8": () => Buffer.from([0x7b, 0xff, 0x0a]),
  "long line": () => `"${"x".repeat(20 * 1024 * 1024)}"\n`,
  "no final newline": (line) => line.trimEnd(),
  "no line end": (line) => line.trimEnd(),
};

if (fault === "exits at once") process.exit(3);
// A marker of the first start, with the id of the parent process in its name, shows that this is not the first.
const marker = join(tmpdir(), `perdura-fake-${process.ppid}`);
if (fault === "comes up once") {
  if (existsSync(marker)) {
    rmSync(marker);
    process.exit(4);
  }
  writeFileSync(marker, "");
}
if (fault === "ignores the end") {
  process.on("SIGTERM", () => undefined);
  setInterval(() => undefined, 1000);
}
for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  if (fault === "dies in hello") throw new Error("dies in hello");
  if (fault === "slow start") {
    console.error("loading the model");
    continue;
  }
  asked = request.seq;
  const isLoad = request.type === "call" && request.op === "load_from_json";
  if (isLoad && (fault === "crash in a call" || fault === "comes up once")) throw new Error("crash in a call");
  if (isLoad && fault === "killed in a call") process.kill(process.pid, "SIGKILL");
  if (isLoad && fault === "hang") {
    if (process.argv[4] !== undefined) writeFileSync(process.argv[4], String(process.pid));
    continue;
  }
  if (isLoad && fault === "closes its output") {
    closeSync(1);
    continue;
  }
  // As an adapter must count that cannot read a request.
  const seq = fault === "counts requests" ? counted++ : request.seq;
  const reply = `${JSON.stringify({ seq, ...answer(request) })}\n`;
  if (fault === "split line") {
    process.stdout.write(reply.slice(0, 5));
    setTimeout(() => process.stdout.write(reply.slice(5)), 5);
    continue;
  }
  process.stdout.write(isLoad && faults[fault] ? faults[fault](reply) : reply);
  if (isLoad && fault === "no final newline") process.stdout.write("", () => process.exit(0));
  if (request.type === "bye" && fault !== "ignores the end") break;
}
writeBuffered();
