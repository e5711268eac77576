import type { Flow } from "../../src/model/flow/flow.ts";
import { EXPIRY_ENDS, type Gate } from "../../src/model/flow/gate.ts";

const MINUTE = 60_000;

/** Some flows have phases; the gates between them are of every kind. */
export function withGates(flow: Flow, chance: () => number): Flow {
  if (chance() > 0.35) return flow;
  const count = 2 + Math.floor(chance() * 2);
  const share = flow.steps.length / count;
  const steps = flow.steps.map((step, at) =>
    chance() < 0.9 ? { ...step, phase: `p${String(Math.floor(at / share))}` } : step,
  );
  // What has no phase waits for no gate, so nothing of an earlier phase may wait for it to be in a later one.
  const used = new Set(steps.map(({ phase }) => phase));
  const phases = Array.from({ length: count }, (_, at) => {
    const name = `p${String(at)}`;
    return used.has(name) && chance() < 0.8 ? { name, gate: drawGate(name, chance) } : { name };
  });
  return { ...flow, steps, phases };
}

function drawGate(phase: string, chance: () => number): Gate {
  const name = `gate-${phase}`;
  const checks = [{ run: "check the phase", limitMs: MINUTE }];
  if (chance() < 0.25) return { name, kind: "evidence", checks };
  const then = EXPIRY_ENDS[Math.floor(chance() * EXPIRY_ENDS.length)] ?? "remind";
  const credentialed = then !== "go_on" && chance() < 0.2;
  return {
    name,
    kind: "approval",
    ...(chance() < 0.3 ? { checks } : {}),
    ...(chance() < 0.4 ? { expiry: { afterMs: MINUTE * (5 + Math.floor(chance() * 60)), then } } : {}),
    ...(chance() < 0.4 ? { action: { run: "open the gate", limitMs: MINUTE * 5 } } : {}),
    ...(credentialed ? { credentialed } : chance() < 0.2 ? { auto: true } : {}),
  };
}
