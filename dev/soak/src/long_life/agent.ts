import { mkdirSync } from "node:fs";
import { join } from "node:path";
import * as v15 from "@perdura/v15";
import * as v16 from "@perdura/v16";
import { acceleratedClock, passSeconds } from "./accelerated_clock.ts";
import { logSize } from "./measure.ts";

/** Intervals of an agent's actions, in simulated seconds. It records every second. */
const RHYTHM = { state: 20, statistics: 60, library: 600, exporting: 3600 } as const;

/** Number of users of an agent, and of its patterns. */
const [USERS, PATTERNS] = [20, 200];

const FORMATS = ["json", "jsonl", "csv"] as const;

/** An agent of a line that keeps all its data at the configured path. */
export class Agent {
  readonly database: string;
  /** Maximum size of the write-ahead log since it was last read. */
  largestLog = 0;
  readonly #directory: string;
  readonly #line: string;
  readonly #metrics: v15.MetricsCollector | v16.MetricsCollector;
  readonly #states: v15.StateManager | undefined;
  readonly #library = new v16.PatternLibrary({ clock: acceleratedClock });
  #second = 0;

  /** @param line `15` or `16`. */
  constructor(line: string, directory: string) {
    this.#line = line;
    this.#directory = directory;
    this.database = join(directory, "metrics.db");
    const options = { clock: acceleratedClock };
    this.#metrics =
      line === "15"
        ? new v15.MetricsCollector(this.database, options)
        : new v16.MetricsCollector(this.database, options);
    this.#states = line === "15" ? new v15.StateManager(join(directory, "state")) : undefined;
    mkdirSync(join(directory, "exports"), { recursive: true });
    for (let index = 0; index < PATTERNS; index += 1) {
      const pattern = { id: `p${index}`, pattern_type: "sequential", name: `Pattern ${index}`, context: { index } };
      this.#library.contribute("agent", pattern);
    }
  }

  /** Runs for some simulated seconds. */
  async live(seconds: number): Promise<void> {
    for (const end = this.#second + seconds; this.#second < end;) {
      passSeconds(1);
      this.#second += 1;
      await this.#record();
      const due = (every: number): boolean => this.#second % every === 0;
      if (due(RHYTHM.state)) this.#keepState();
      if (due(RHYTHM.statistics)) this.#askStatistics();
      if (due(RHYTHM.library)) this.#keepLibrary();
      if (due(RHYTHM.exporting)) this.export();
    }
  }

  /** Number of recorded interactions. */
  get total(): number {
    return this.#metrics.getGlobalStats().total_interactions;
  }

  export(): void {
    const format = FORMATS[Math.floor(this.#second / RHYTHM.exporting) % FORMATS.length];
    this.#metrics.exportMetrics(join(this.#directory, "exports", `metrics.${format}`));
  }

  close(): void {
    this.#metrics.close();
  }

  get #user(): string {
    return `user${this.#second % USERS}`;
  }

  async #record(): Promise<void> {
    const [user, level, success] = [this.#user, (this.#second % 5) + 1, this.#second % 7 !== 0];
    if (this.#second % 10 === 0) {
      const writer = this.#metrics.writer();
      await writer.recordInteraction(user, level, success, this.#second % 1000);
      await writer.close();
    } else if (this.#second % 2 === 0) this.#metrics.recordInteraction(user, level, success, this.#second % 1000);
    else if (this.#line === "15")
      (this.#metrics as v15.MetricsCollector).recordMetric(user, level, success, 1.5, { second: this.#second });
    else (this.#metrics as v16.MetricsCollector).recordMetric(user, success, 1.5, { second: this.#second });
  }

  #keepState(): void {
    if (this.#states === undefined) return;
    const user = this.#user;
    const state = this.#states.loadState(user) ?? { user_id: user, trust_level: 0.5, interaction_count: 0 };
    this.#states.saveState(user, { ...state, interaction_count: (state.interaction_count ?? 0) + 1 });
  }

  #askStatistics(): void {
    this.#metrics.getUserStats(this.#user);
    this.#metrics.getGlobalStats();
    this.#metrics.getAllUsers();
    this.#library.recordUsage(`p${this.#second % PATTERNS}`, "agent", true);
    this.largestLog = Math.max(this.largestLog, logSize(this.database));
  }

  #keepLibrary(): void {
    const [json, database] = [join(this.#directory, "patterns.json"), join(this.#directory, "patterns.db")];
    v16.PatternPersistence.saveToJson(this.#library, json);
    v16.PatternPersistence.saveToSqlite(this.#library, database);
    v16.PatternPersistence.loadFromJson(json);
    v16.PatternPersistence.loadFromSqlite(database);
  }
}
