import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { commandAdapter } from "@perdura/conformance";
import { AdapterFault } from "../../../../../packages/conformance/src/protocol/channel.ts";
import { PATIENCE_MS } from "../../../../../test/patience.ts";
import type { Chance } from "../../../../../test/hostile/chance.ts";
import { bytesOf } from "../../../../../test/hostile/hostile_bytes.ts";
import { hostileText } from "../../../../../test/hostile/hostile_text.ts";
import { hostileValue } from "../../../../../test/hostile/hostile_values.ts";
import { faultsOfError } from "../judge_error.ts";
import type { Bench, Try } from "../reader.ts";

/** Output of an adapter program: arbitrary bytes, premature, too long, or empty. */
export function streams({ directory }: Bench): Try {
  writeFileSync(join(directory, "adapter.sh"), 'if [ "$1" = asked ]; then read -r line; fi; cat out; cat errors >&2\n');
  return { document: tryStream };
}

async function tryStream(chance: Chance, { directory }: Bench): Promise<string[]> {
  const answer = bytesOf(chance.percent(50) ? { seq: 1, type: "ok" } : hostileValue(chance), chance);
  const end = Buffer.from(chance.pick(["\n", "\n", "\n", "", "\n\n", "\r\n", '\n{"seq":2}\n']));
  writeFileSync(join(directory, "out"), Buffer.concat([answer, end]));
  writeFileSync(join(directory, "errors"), hostileText(chance));
  const channel = await commandAdapter(`sh adapter.sh ${chance.pick(["asked", "at-once"])}`).connect();
  try {
    const reply = await channel.exchange('{"seq":1,"type":"end"}', PATIENCE_MS);
    return reply.includes("\n") ? ["an answer of several lines"] : [];
  } catch (error) {
    return faultsOfError(error, { own: (one) => one instanceof AdapterFault });
  } finally {
    await channel.close();
  }
}
