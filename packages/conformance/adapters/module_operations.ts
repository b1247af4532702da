import { within } from "./metrics_operations.ts";
import { loaded } from "./pattern_operations.ts";
import type { Library } from "./pattern_operations.ts";
import type { Operations } from "./line_adapter.ts";

/** Operations that tell what a user of the package can import (section 9). Each actually imports the module. */
export function moduleOperations(importModule: (subpath: string) => Promise<object>): Operations {
  return {
    has_module: async ({ args }) => ({ value: (await attempt(importModule, args.name)) !== undefined }),
    has_member: async ({ args }) => {
      const module = await attempt(importModule, args.module ?? "");
      return { value: module !== undefined && args.name in module };
    },
  };
}

/** Only a missing module means no; a module that fails while it loads is an error. */
async function attempt(importModule: (subpath: string) => Promise<object>, name: string): Promise<object | undefined> {
  try {
    return await importModule(name === "" ? "" : `/${name}`);
  } catch (error) {
    const { code = "", message = "" } = error as { code?: string; message?: string };
    if (code === "ERR_PACKAGE_PATH_NOT_EXPORTED" || code === "ERR_MODULE_NOT_FOUND") return undefined;
    // A bundler's own loader, as in a test runner, gives no code.
    // oxlint-disable-next-line messages/no-decisions -- the words of Vite
    if (message.includes("is not exported under the conditions")) return undefined;
    throw error;
  }
}

/** Parts of an opened persistence that both lines share. */
export interface Persistence {
  patterns: { save(library: never): unknown; load(): Library };
}

/** The configuration object of section 4.5, and the pattern storage that it opens. */
export function configurationOperations(openPersistence: (config: never) => Persistence): Operations {
  return {
    open_persistence: ({ args, directory }) => ({ kept: within(directory, () => openPersistence(args.config)) }),
    save_patterns: ({ args, subject, kept }) => {
      (subject as Persistence).patterns.save(kept(args.library) as never);
      return {};
    },
    load_patterns: ({ subject }) => loaded((subject as Persistence).patterns.load()),
  };
}
