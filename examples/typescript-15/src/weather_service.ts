/** Simulates a service on the network: it is busy at every third request. */
export class WeatherService {
  #requests = 0;

  async forecast(city: string): Promise<string> {
    this.#requests += 1;
    if (this.#requests % 3 === 0) throw new Error(`busy: request ${this.#requests}`);
    return `rain in ${city}`;
  }
}
