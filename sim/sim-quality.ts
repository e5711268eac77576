import type { Evidence } from "../src/model/evidence.ts";
import type { CheckOrder, Quality } from "../src/quality/quality.ts";
import type { SimMachine, SimProcess } from "./sim-process.ts";

const CHECK_MS_MAX = 120_000;

/** Checks that take their time and pass more often than not; they die with the process that runs them. */
export const simQuality = (machine: SimMachine, process: SimProcess): Quality => ({
  check: (order, signal) =>
    new Promise((resolve) => {
      const durationMs = Math.round(machine.chance() * Math.min(order.limitMs, CHECK_MS_MAX));
      const drawn = machine.chance();
      const verdict = drawn < 0.65 ? "pass" : drawn < 0.95 ? "fail" : "unknown";
      const cancel = process.timer(durationMs, () => {
        resolve(evidence(order, verdict, durationMs));
      });
      signal.addEventListener("abort", () => {
        cancel();
        resolve(evidence(order, "unknown", durationMs));
      });
    }),
});

const evidence = ({ command }: CheckOrder, verdict: Evidence["verdict"], durationMs: number): Evidence => ({
  command,
  verdict,
  exitCode: verdict === "pass" ? 0 : verdict === "fail" ? 1 : null,
  signal: null,
  timedOut: false,
  outputBytes: 0,
  digest: "",
  excerpt: verdict,
  durationMs,
});
