// A separate process in which 16 callers record at once, repeatedly, and print each id once it is durable. Argument:
// path.
import { MetricsCollector } from "@perdura/v16";

const writer = new MetricsCollector(process.argv[2] as string).writer();

async function caller(user: number): Promise<never> {
  for (;;) process.stdout.write(`${await writer.recordInteraction(`user-${user}`, 3, true, 1)}\n`);
}

await Promise.all(Array.from({ length: 16 }, (_, user) => caller(user)));
