import { giveName } from "../../src/io/placing.ts";

// Gives a file its name, and prints the success, or the code of the error.

const [temporary = "", path = ""] = process.argv.slice(2);
try {
  console.log(String(giveName(temporary, path)));
} catch (error) {
  console.log((error as NodeJS.ErrnoException).code);
}
