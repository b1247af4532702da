import { onTestFinished } from "vitest";

/**
 * Makes the code of this process take the ways of Windows, or of another system, until the test is over. The file system
 * stays that of this machine.
 */
export function asOnPlatform(platform: NodeJS.Platform = "win32"): void {
  const before = Object.getOwnPropertyDescriptor(process, "platform") as PropertyDescriptor;
  Object.defineProperty(process, "platform", { ...before, value: platform });
  onTestFinished(() => void Object.defineProperty(process, "platform", before));
}
