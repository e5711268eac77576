/** The command line from source, as a program of its own. */
import { main } from "../../src/cli/main.ts";

// No await: as one file it is a script, in which there is none outside of functions.
void main(process.argv.slice(2)).then((code) => (process.exitCode = code));
