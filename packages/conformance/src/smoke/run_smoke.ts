import { join } from "node:path";
import { lineOfVersion, onLine } from "../corpus/version_range.ts";
import { provideFile } from "../inspect/provide_file.ts";
import { AdapterFault, type AdapterSource } from "../protocol/channel.ts";
import type { Introduction } from "../protocol/messages.ts";
import { capabilityOf, TABLE_DUMP } from "../protocol/operations.ts";
import { makeSandbox, type Sandbox } from "../runner/sandbox.ts";
import { Session } from "../runner/session.ts";
import { LineMismatch } from "../runner/suite_options.ts";
import { SMOKE_CALLS, type SmokeCall } from "./smoke_calls.ts";

/** Result of one operation. */
export interface SmokeLine {
  op: string;
  /** `fault`: the adapter crashed, hung or broke the protocol. `not tried`: a call before this one did not answer. */
  result: "ok" | "error" | "unsupported" | "fault" | "not tried" | "not declared";
  /** The answer, the fault, or the reason for the missing answer; empty for `ok` and `not declared`. */
  detail: string;
}

/** Result of a smoke test. */
export interface SmokeResult {
  implementation: Introduction["implementation"] | null;
  spec_version: string | null;
  lines: SmokeLine[];
  /** A fault at the start or the end, outside of any operation; empty without one. */
  fault: string;
  /** True if every declared operation answered ok, and nothing else failed. */
  passed: boolean;
}

/**
 * Calls each declared operation once with trivial valid arguments.
 * @throws {LineMismatch} when the adapter does not implement the requested line.
 */
export async function runSmoke(adapter: AdapterSource, line = "", timeoutMs = 10_000): Promise<SmokeResult> {
  const sandbox = makeSandbox();
  const result: SmokeResult = { implementation: null, spec_version: null, lines: [], fault: "", passed: false };
  let session: Session | undefined;
  try {
    session = await Session.open(adapter, { line, sandbox: sandbox.root, timeoutMs });
    const { implementation, spec_version } = session.introduction;
    if (line !== "" && !onLine(spec_version, line))
      throw new LineMismatch(`--line ${line} was requested, but the adapter implements ${spec_version}.`);
    Object.assign(result, { implementation, spec_version });
    result.lines = await callAll(session, sandbox);
    if (!result.lines.some(isFault)) {
      await session.send({ type: "settle" });
      await session.endCase();
      const ended = session;
      session = undefined;
      await ended.close(true);
    }
  } catch (error) {
    if (!(error instanceof AdapterFault)) throw error;
    result.fault = `${error.kind}: ${error.text}`;
  } finally {
    await session?.close(false);
    sandbox.remove();
  }
  const declared = result.lines.filter((each) => each.result !== "not declared");
  result.passed = result.fault === "" && declared.length > 0 && declared.every((each) => each.result === "ok");
  return result;
}

const isFault = ({ result }: SmokeLine): boolean => result === "fault";

async function callAll(session: Session, sandbox: Sandbox): Promise<SmokeLine[]> {
  const directory = sandbox.enter("smoke");
  const context = {
    at: (name: string) => join(directory, name),
    line: lineOfVersion(session.introduction.spec_version),
    inServer: session.introduction.capabilities.includes(TABLE_DUMP),
  };
  await session.send({ type: "begin", case: "smoke/each-operation", directory });
  const lines: SmokeLine[] = [];
  const kept = new Set<string>();
  for (const call of SMOKE_CALLS) {
    const { op, handle, keep, reads } = call;
    const add = (result: SmokeLine["result"], detail: string): void => void lines.push({ op, result, detail });
    if (!isDeclared(op, session.introduction)) add("not declared", "");
    else if (lines.some(isFault)) add("not tried", "the adapter failed before");
    else if (handle !== undefined && !kept.has(handle))
      add("not tried", `needs ${makerOf(handle)}, which is not declared or did not answer ok`);
    else {
      if (reads !== undefined)
        provideFile({ put: reads.name, file: reads.file(context.line) }, directory, sandbox.scratch);
      try {
        const named = { ...(handle === undefined ? {} : { handle }), ...(keep === undefined ? {} : { keep }) };
        const answer = await session.send({ type: "call", op, args: call.args(context), ...named });
        if (answer.type === "ok" && keep !== undefined) kept.add(keep);
        add(answer.type, answer.type === "ok" ? "" : JSON.stringify(answer));
      } catch (error) {
        if (!(error instanceof AdapterFault)) throw error;
        const said = session.diagnostics().trimEnd();
        add("fault", `${error.kind}: ${error.text}${said === "" ? "" : `\nstderr: ${said}`}`);
      }
    }
  }
  return lines;
}

function isDeclared(op: string, { capabilities }: Introduction): boolean {
  const group = capabilityOf(op) as string;
  return group === "" || capabilities.includes(group) || capabilities.includes(op);
}

function makerOf(handle: string): string {
  return (SMOKE_CALLS.find(({ keep }) => keep === handle) as SmokeCall).op;
}
