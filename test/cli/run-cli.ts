/** The command line from source, as a program of its own. */
import { main } from "../../src/cli/main.ts";

process.exitCode = await main(process.argv.slice(2));
