import { setImmediate as turn } from "node:timers/promises";
import { FileProcess } from "../child/file_process.ts";
import type { Settings } from "../options.ts";
import type { Stage } from "../report/progress.ts";
import { Stop } from "../stop.ts";

/** What one run of a command carries with it. */
export class Run {
  readonly settings: Settings;
  readonly files: FileProcess = new FileProcess();

  constructor(settings: Settings) {
    this.settings = settings;
  }

  /**
   * Says what comes next, and lets a request to stop arrive: the driver works synchronously, so nothing else would.
   *
   * @throws Stop when the run was interrupted.
   */
  async stage(path: string, stage: Stage, detail: string): Promise<void> {
    this.settings.onProgress({ event: "progress", path, stage, detail });
    await turn();
    if (this.settings.signal?.aborted === true)
      throw new Stop("interrupted", "Interrupted; rolled back, the data is as it was.");
  }

  [Symbol.dispose](): void {
    this.files.close();
  }
}
