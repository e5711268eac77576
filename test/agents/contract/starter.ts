/**
 * A supervisor in small, to be killed: starts one session, tells the outcome on a line, then listens and tells each
 * batch on a line of its own. Usage: starter MODULE FOLDER ORDER-JSON
 */
import type { StartOrder } from "../../../src/agents/agent-driver.ts";
import type { Subject } from "./subject.ts";

const [, , module = "", folder = "", text = ""] = process.argv;
const { subject } = (await import(module)) as { subject: Subject };
const order = JSON.parse(text) as StartOrder;
const driver = subject.open(folder);
process.stdout.write(`${JSON.stringify(await driver.start(order))}\n`);
driver.listen(order, "", async (batch) => {
  process.stdout.write(`${JSON.stringify(batch)}\n`);
});
