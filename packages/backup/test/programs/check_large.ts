/** Checks a large document, and prints the outcome. */
import { checkLibrary } from "../../src/local/check_library.ts";

const [path = ""] = process.argv.slice(2);
try {
  await checkLibrary(path, "json", path);
  process.stdout.write("fine");
} catch (error) {
  process.stdout.write((error as { code?: string }).code ?? String(error));
}
