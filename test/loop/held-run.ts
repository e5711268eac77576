// Holds a run until it is asked to end, or tries to get it again and again: node held-run.ts STORE hold|take
import { setTimeout as pause } from "node:timers/promises";
import { isFault } from "../../src/model/fault.ts";
import { openHoldfast } from "../../src/open-holdfast.ts";

const LEASE_MS = 1_000;
const TRIES_MS = 1_500;
const TRY_EVERY_MS = 20;

const [store = "", how = ""] = process.argv.slice(2);
const say = (word: string): void => void process.stdout.write(`${word}\n`);
const hf = await openHoldfast({ store, leaseMs: LEASE_MS });
process.on("SIGTERM", () => void hf.close());

if (how === "hold")
  await hf
    .run("r", async (run) => {
      say(`began as ${String(process.pid)}`);
      await run.step("work", () => pause(60_000));
    })
    .catch(() => undefined);

if (how === "take") {
  let refused = 0;
  for (const until = performance.now() + TRIES_MS; performance.now() < until; await pause(TRY_EVERY_MS))
    try {
      await hf.run("r", () => Promise.resolve("stolen"), { ifHeld: "refuse" });
      say("stolen");
    } catch (error) {
      if (!isFault(error, "refused")) throw error;
      refused += 1;
    }
  say(`refused ${String(refused)}`);
  const onWaiting = ({ text }: { text: string }): void => say(text);
  say(await hf.run("r", () => Promise.resolve("taken over"), { onWaiting }));
}
await hf.close();
