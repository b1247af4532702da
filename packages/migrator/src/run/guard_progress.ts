import type { Settings } from "../core/options.ts";

/**
 * The same settings, with an `onProgress` that never throws. When that of the caller does, the run is aborted, as by a
 * signal: an error in the midst of a transaction, of the search or of a child's answer would each end otherwise.
 *
 * @param thrown Receives what was thrown.
 */
export function guardProgress(settings: Settings, thrown: unknown[]): Settings {
  const own = new AbortController();
  const { signal, onProgress } = settings;
  const stop = (error: unknown): void => {
    thrown.push(error);
    own.abort();
  };
  return {
    ...settings,
    signal: signal === undefined ? own.signal : AbortSignal.any([signal, own.signal]),
    onProgress: (event) => {
      // What failed once is not called again.
      if (thrown.length > 0) return;
      try {
        const answer: unknown = onProgress(event);
        if (answer instanceof Promise) answer.catch(stop);
      } catch (error) {
        stop(error);
      }
    },
  };
}
