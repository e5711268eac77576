// Grows the state of a loop by messages of 1 KB, and dies in the middle of an iteration:
// node grow-loop.ts FILE RUN ITERATIONS [MESSAGES-PER-ITERATION]
import { openHoldfast } from "../../src/open-holdfast.ts";

const [, , file = "", run = "", iterations = "", each = "1"] = process.argv;
const text = "x".repeat(1_000);
const hf = await openHoldfast({ store: `sqlite:${file}` });
await hf.run(run, (body) =>
  body.loop("kernel", { messages: [] as unknown[] }, (state, i) => {
    if (i === Number(iterations)) process.kill(process.pid, "SIGKILL");
    const more = Array.from({ length: Number(each) }, (_, n) => ({ role: "user", n, text }));
    return { state: { messages: [...state.messages, ...more] }, done: false };
  }),
);
