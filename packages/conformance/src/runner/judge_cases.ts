import type { LoadedCase } from "../corpus/load_cases.ts";
import { AdapterFault } from "../protocol/channel.ts";
import type { CaseRecord, Verdict } from "../report/record.ts";
import type { JsonValue } from "../values/json_value.ts";
import { blankRecord, runCase } from "./run_case.ts";
import type { Sandbox } from "./sandbox.ts";
import { applies, isSelected, missingCapabilities } from "./selection.ts";
import type { Selection } from "./selection.ts";
import type { Session } from "./session.ts";

/** What the loop over the cases works with. */
export interface JudgeContext {
  cases: LoadedCase[];
  selection: Selection;
  shared: Record<string, JsonValue>;
  sandbox: Sandbox;
  version: string;
  /** Connects anew. */
  start: () => Promise<Session>;
  /** Receives why the run ended early. */
  notes: string[];
}

const RESTART: ReadonlySet<Verdict> = new Set(["crash", "timeout", "protocol-error", "harness-error"]);

/**
 * Gives every case its verdict, one after another. After a crash, a time-out or a breach of the protocol the adapter
 * is started anew and finished results stay; if it does not come up again, the rest is `not-run`.
 * @param first undefined when the adapter never came up.
 */
export async function* judgeCases(first: Session | undefined, context: JudgeContext): AsyncGenerator<CaseRecord> {
  let session = first;
  const choices = first?.introduction.choices ?? {};
  const capabilities = first?.introduction.capabilities ?? [];
  try {
    for (const loaded of context.cases) {
      const early = withoutRunning(loaded, context, capabilities, first !== undefined);
      if (early || !session) {
        yield {
          ...blankRecord(loaded, choices),
          ...(early ?? { verdict: "not-run", reason: "the adapter did not come up" }),
        };
        continue;
      }
      const record = await runCase(loaded, {
        session,
        sandbox: context.sandbox,
        shared: context.shared,
        version: context.version,
      });
      if (RESTART.has(record.verdict)) session = await restart(session, context);
      yield record;
    }
  } finally {
    await part(session, context.notes);
  }
}

function withoutRunning(
  loaded: LoadedCase,
  context: JudgeContext,
  capabilities: string[],
  known: boolean,
): Pick<CaseRecord, "verdict" | "reason"> | undefined {
  if (!isSelected(loaded, context.selection)) return { verdict: "not-run", reason: "not selected" };
  if (!known) return undefined;
  if (!applies(loaded, context.version))
    return { verdict: "inapplicable", reason: `does not hold for ${context.version}` };
  const missing = missingCapabilities(loaded, context.version, capabilities);
  if (missing.length > 0)
    return { verdict: "unsupported", reason: `the adapter does not declare ${missing.join(", ")}` };
  return undefined;
}

async function restart(session: Session, context: JudgeContext): Promise<Session | undefined> {
  await session.close(false);
  try {
    return await context.start();
  } catch (error) {
    if (!(error instanceof AdapterFault)) throw error;
    context.notes.push(`the adapter did not come up again: ${error.kind}: ${error.message}`);
    return undefined;
  }
}

async function part(session: Session | undefined, notes: string[]): Promise<void> {
  try {
    await session?.close(true);
  } catch (error) {
    if (!(error instanceof AdapterFault)) throw error;
    notes.push(`after the last case: ${error.kind}: ${error.message}`);
  }
}
