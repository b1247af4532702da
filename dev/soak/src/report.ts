import { Table } from "@perdura/cli/table.js";
import type { Circumstances } from "../../tools/measurements/circumstances.ts";
import type { Complaint, Tally, TallyRow } from "./tally.ts";

/** Request of a run. */
interface Asked {
  soaks: readonly string[];
  seed: number;
  /** Above 0, at most 1. */
  share: number;
  minutes: number | null;
  only?: string | undefined;
  point?: string | undefined;
}

/** Facts about a run apart from its results. */
export interface RunFacts {
  asked: Asked;
  /** Soaks that this machine cannot run, with the reasons. */
  missing: readonly { soak: string; text: string }[];
  /** True if the user ended it early. */
  interrupted: boolean;
  seconds: number;
  made: Circumstances;
}

/** The machine-readable report. */
export interface SoakReport extends RunFacts {
  fine: boolean;
  totals: Omit<TallyRow, "soak" | "row" | "remark">;
  rows: readonly TallyRow[];
  complaints: readonly Complaint[];
}

/** Report of a run. */
export function reportOf(tally: Tally, facts: RunFacts): SoakReport {
  return { fine: tally.isFine, ...facts, totals: totalsOf(tally.rows), rows: tally.rows, complaints: tally.complaints };
}

/** The table for the terminal, with a line of sums. */
export function summaryOf(tally: Tally, { seconds, interrupted }: Pick<RunFacts, "seconds" | "interrupted">): string {
  const rows = tally.rows;
  const table = new Table<TallyRow>(
    [
      { title: "soak", rank: 1, text: ({ soak }) => soak },
      { title: "what", rank: 0, text: ({ row }) => row },
      { title: "trials", rank: 1, right: true, text: ({ trials }) => String(trials) },
      { title: "survived", rank: 1, right: true, text: ({ survived }) => String(survived) },
      { title: "lost", rank: 1, right: true, text: ({ lost }) => String(lost) },
      { title: "wrong", rank: 1, right: true, text: ({ wrong }) => String(wrong) },
      { title: "", rank: 2, text: ({ remark }) => remark },
    ],
    rows,
    Number.POSITIVE_INFINITY,
  );
  const { trials, survived, lost, wrong } = totalsOf(rows);
  return [
    table.title(),
    ...rows.map((row) => table.row(row)),
    "",
    `${trials} trials, ${survived} survived, ${lost} lost, ${wrong} wrong (${seconds} s${interrupted ? ", interrupted" : ""})`,
  ].join("\n");
}

function totalsOf(rows: readonly TallyRow[]): SoakReport["totals"] {
  const sum = (key: "trials" | "survived" | "lost" | "wrong"): number => rows.reduce((all, row) => all + row[key], 0);
  return { trials: sum("trials"), survived: sum("survived"), lost: sum("lost"), wrong: sum("wrong") };
}
