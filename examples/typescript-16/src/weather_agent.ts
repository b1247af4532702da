import type { PatternLibrary, Persistence } from "perdura";
import type { WeatherService } from "./weather_service.ts";

const AGENT = "weather-agent";

interface Attempt {
  text: string;
  success: boolean;
}

/** Answers questions about the weather, and remembers the outcomes. */
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
    const start = performance.now();
    const { text, success, attempts } = await this.#ask(city);
    this.#persistence.metrics.recordMetric(user, success, performance.now() - start, { city, attempts });
    return text;
  }

  /** Retries if the service was busy and the library has a pattern for it, and records whether the pattern helped. */
  async #ask(city: string): Promise<Attempt & { attempts: number }> {
    const first = await this.#attempt(city);
    const [pattern] = this.#library.byType("recovery").sort((a, b) => b.confidence - a.confidence);
    if (first.success || pattern === undefined) return { ...first, attempts: 1 };
    const second = await this.#attempt(city);
    this.#library.recordUsage(pattern.id, AGENT, second.success);
    return { ...second, attempts: 2 };
  }

  async #attempt(city: string): Promise<Attempt> {
    try {
      return { text: await this.#service.forecast(city), success: true };
    } catch (error) {
      return { text: `no answer: ${(error as Error).message}`, success: false };
    }
  }
}
