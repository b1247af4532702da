import type { Round } from "../soak.ts";
import type { Outcome } from "./trial.ts";

interface Figure {
  cuts: Map<string, number>;
  acknowledged: number;
  /** Number of acknowledged writes that were lost. */
  gone: number;
  /** Number of cuts after which data was lost or damaged, by kind of cut. */
  hurt: Map<string, number>;
}

/** Sums of the outcomes, a row for each writer. */
export class Figures {
  readonly #rows = new Map<string, Figure>();
  readonly #controls = new Set<string>();

  /** Counts the outcomes of a cut. Controls are not trials: they are expected to lose data. */
  add(kind: string, outcomes: readonly Outcome[], round: Pick<Round, "count" | "remark">): void {
    for (const { writer, acknowledged, found, lost, wrong } of outcomes) {
      const none = { cuts: new Map<string, number>(), acknowledged: 0, gone: 0, hurt: new Map<string, number>() };
      const figure = this.#rows.get(writer.row) ?? none;
      this.#rows.set(writer.row, figure);
      figure.cuts.set(kind, (figure.cuts.get(kind) ?? 0) + 1);
      figure.acknowledged += acknowledged;
      figure.gone += Math.max(0, acknowledged - (found ?? acknowledged));
      const isHurt = lost.length + wrong.length > 0;
      figure.hurt.set(kind, (figure.hurt.get(kind) ?? 0) + (isHurt ? 1 : 0));
      if (writer.control === true) this.#controls.add(writer.row);
      else
        round.count({
          row: writer.row,
          lost: lost.map((text) => `${kind}: ${text}`),
          wrong: wrong.map((text) => `${kind}: ${text}`),
        });
      round.remark(writer.row, this.#remarkOn(writer, figure));
    }
  }

  /** True if a kind of cut is proven: a writer without syncs lost data. */
  isProven(kind: string): boolean {
    return [...this.#controls].some((row) => (this.#rows.get(row)?.hurt.get(kind) ?? 0) > 0);
  }

  /** Reports the kinds of cuts that are not proven: even writers without syncs lost nothing. */
  conclude(round: Pick<Round, "count">): void {
    const [row] = this.#controls;
    if (row === undefined) return;
    const kinds = new Set([...this.#controls].flatMap((each) => [...(this.#rows.get(each)?.cuts.keys() ?? [])]));
    const wrong = [...kinds]
      .filter((kind) => !this.isProven(kind))
      .map((kind) => `${kind}: no unsynced data was lost, so the power was not cut`);
    if (wrong.length > 0) round.count({ row, wrong });
  }

  #remarkOn({ control, mayLose }: Outcome["writer"], { cuts, acknowledged, gone, hurt }: Figure): string {
    const all = sumOf(cuts);
    if (control === true) return `${sumOf(hurt)} of ${all} lost or damaged`;
    const kinds = [...cuts].map(([kind, count]) => `${count} ${kind}`).join(", ");
    return `${kinds}; ${acknowledged} acknowledged writes${mayLose === true ? `, ${gone} lost, which is allowed` : ""}`;
  }
}

const sumOf = (counts: ReadonlyMap<string, number>): number =>
  [...counts.values()].reduce((sum, each) => sum + each, 0);
