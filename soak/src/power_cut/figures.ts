import type { Round } from "../soak.ts";
import type { Outcome } from "./trial.ts";

interface Figure {
  cuts: Map<string, number>;
  acknowledged: number;
  /** Acknowledged writes that are gone. */
  gone: number;
  /** Cuts after which something was gone or damaged. */
  hurt: number;
}

/** Adds up what the cuts came to, a row for each writer. */
export class Figures {
  readonly #rows = new Map<string, Figure>();
  readonly #controls = new Set<string>();

  /** Counts the outcomes of a cut. The controls are no trials: they are there to lose. */
  add(kind: string, outcomes: readonly Outcome[], round: Pick<Round, "count" | "remark">): void {
    for (const { writer, acknowledged, found, lost, wrong } of outcomes) {
      const none = { cuts: new Map<string, number>(), acknowledged: 0, gone: 0, hurt: 0 };
      const figure = this.#rows.get(writer.row) ?? none;
      this.#rows.set(writer.row, figure);
      figure.cuts.set(kind, (figure.cuts.get(kind) ?? 0) + 1);
      figure.acknowledged += acknowledged;
      figure.gone += Math.max(0, acknowledged - (found ?? acknowledged));
      if (lost.length + wrong.length > 0) figure.hurt += 1;
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

  /** Says that the power was not cut, where even who does not sync loses nothing. */
  conclude(round: Pick<Round, "count">): void {
    const [row] = this.#controls;
    if (row === undefined || [...this.#controls].some((each) => (this.#rows.get(each)?.hurt ?? 0) > 0)) return;
    round.count({ row, wrong: ["nothing was lost that was never synced: the power was not cut"] });
  }

  #remarkOn({ control, mayLose }: Outcome["writer"], { cuts, acknowledged, gone, hurt }: Figure): string {
    const all = [...cuts.values()].reduce((sum, each) => sum + each, 0);
    if (control === true) return `${hurt} of ${all} lost or damaged`;
    const kinds = [...cuts].map(([kind, count]) => `${count} ${kind}`).join(", ");
    return `${kinds}; ${acknowledged} acknowledged writes${mayLose === true ? `, ${gone} gone, as it may be` : ""}`;
  }
}
