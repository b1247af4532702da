import type fc from "fast-check";
import type { Step } from "../corpus/case.ts";

/** Facts about the implementation on which a sequence depends. */
export interface Judged {
  line: "15" | "16";
  /** The databases are in a server: there is no file that another program could write to. */
  inServer: boolean;
}

/**
 * Sequences of operations of one kind. A sequence is plain data, which can be shortened; its steps carry what a model of
 * the specification expects of each answer, in the format of the cases.
 */
export interface SequenceKind<Sequence> {
  sequences: (judged: Judged) => fc.Arbitrary<Sequence>;
  steps: (sequence: Sequence, judged: Judged) => Step[];
}
