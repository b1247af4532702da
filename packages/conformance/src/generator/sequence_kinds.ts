import fc from "fast-check";
import type { GenerateStep, Step } from "../corpus/case.ts";
import { librarySequences } from "./library_sequences.ts";
import { METRICS_SEQUENCES } from "./metrics_sequences.ts";
import type { Judged, SequenceKind } from "./sequence_kind.ts";
import { STATE_SEQUENCES } from "./state_sequences.ts";

/** The kinds of sequences by the name in a generated case. */
export const SEQUENCE_KINDS: Readonly<Record<GenerateStep["generate"], SequenceKind<unknown>>> = {
  metrics: METRICS_SEQUENCES as SequenceKind<unknown>,
  "json-libraries": librarySequences(["json"]) as SequenceKind<unknown>,
  "sqlite-libraries": librarySequences(["sqlite"]) as SequenceKind<unknown>,
  "both-libraries": librarySequences(["json", "sqlite"]) as SequenceKind<unknown>,
  states: STATE_SEQUENCES as SequenceKind<unknown>,
};

/** The seed from which sequences are made, unless another one is chosen. */
export const SEED = 1;

/** The steps of some sequences, for a runner that cannot generate them. */
export function sampleSequences({ generate }: GenerateStep, judged: Judged, count: number): Step[][] {
  const { sequences, steps } = SEQUENCE_KINDS[generate];
  const samples = fc.sample(sequences(judged), { seed: SEED, numRuns: count });
  return samples.map((sequence) => steps(sequence, judged)).filter((made) => made.length > 0);
}
