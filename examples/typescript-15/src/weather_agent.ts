import type { CollaborationState, PatternLibrary, Persistence } from "perdura/persistence";
import { trusted } from "./trust.ts";
import type { WeatherService } from "./weather_service.ts";

const AGENT = "weather-agent";

interface Attempt {
  text: string;
  success: boolean;
}

/** Answers questions about the weather, and remembers the outcomes and the user's trust. */
export class WeatherAgent {
  readonly #service: WeatherService;
  readonly #persistence: Persistence;
  readonly #library: PatternLibrary;

  constructor(service: WeatherService, persistence: Persistence, library: PatternLibrary) {
    this.#service = service;
    this.#persistence = persistence;
    this.#library = library;
  }

  async answer(user: string, city: string): Promise<string> {
    const { metrics, states } = this.#persistence;
    const before: CollaborationState = states.loadState(user) ?? { user_id: user, trust_level: 0.5 };
    const start = performance.now();
    const { text, success } = await this.#ask(city);
    metrics.recordMetric(user, before.current_level ?? 1, success, performance.now() - start, { city });
    states.saveState(user, trusted(before, success));
    return text;
  }

  /** Retries if the service was busy and the library has a pattern for it, and records whether the pattern helped. */
  async #ask(city: string): Promise<Attempt> {
    const first = await this.#attempt(city);
    const [pattern] = this.#library.byType("recovery").sort((a, b) => b.confidence - a.confidence);
    if (first.success || pattern === undefined) return first;
    const second = await this.#attempt(city);
    this.#library.recordUsage(pattern.id, AGENT, second.success);
    return second;
  }

  async #attempt(city: string): Promise<Attempt> {
    try {
      return { text: await this.#service.forecast(city), success: true };
    } catch (error) {
      return { text: `no answer: ${(error as Error).message}`, success: false };
    }
  }
}
