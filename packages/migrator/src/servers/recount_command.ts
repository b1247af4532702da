import { shellWord } from "../core/shell_words.ts";

const PROGRAM = `import("@perdura/postgres").then(async ({ PostgresMetricsCollector }) => {
  const metrics = new PostgresMetricsCollector(process.argv[1], { schema: process.argv[2] });
  console.log(await metrics.recount());
  await metrics.close();
})`.replaceAll(/\n\s*/g, " ");

/** A command that counts all rows of a schema again and corrects its statistics. */
export function recountCommand(place: string, schema: string): string {
  return ["node", "-e", PROGRAM, place, schema].map((word) => shellWord(word)).join(" ");
}
