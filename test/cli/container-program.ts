// A program that uses the library, as the first process of a container: node container-program.ts STORE
import { openHoldfast } from "../../src/index.ts";

const [store = ""] = process.argv.slice(2);
const hf = await openHoldfast({ store });
const value = await hf.run("r", (run) => run.step("add", () => 41 + 1));
process.stdout.write(`process ${String(process.pid)} has ${String(value)}\n`);
await hf.close();
