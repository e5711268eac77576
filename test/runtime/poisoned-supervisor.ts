/**
 * A program that embeds Holdfast and registers functions, one of which ends the program.
 * Usage: poisoned-supervisor.ts STORE. Works until there is nothing to do.
 */
import { appendFileSync } from "node:fs";
import { openSystem, configSchema, type FunctionAgent } from "../../src/index.ts";

const [, , store = ""] = process.argv;
const functions = new Map<string, FunctionAgent>([
  ["good", () => "done"],
  [
    "bad",
    async (context) => {
      appendFileSync(`${store}.entered`, "entered\n");
      await context.report("about to");
      setTimeout(() => process.exit(0), 5);
      return new Promise(() => undefined);
    },
  ],
]);
const settings = configSchema.parse({ supervisor: { scanMs: 200 } });
const system = await openSystem({ store: `sqlite:${store}`, settings, functions });
await system.host.work({ idleExitMs: 300 });
await system.close();
