import type { EventData } from "../../src/model/events/events.ts";
import type { Gate } from "../../src/model/flow/gate.ts";
import type { RunState } from "../../src/model/state/run-state.ts";
import type { Moment, Say, Watcher } from "../world/replay.ts";

interface Seen {
  readonly spec: Gate | undefined;
  open: boolean;
  approved: EventData<"GateApproved"> | null;
  /** An action was begun since the last yes. */
  acted: boolean;
}

/**
 * Steps of a phase begin when the gate before it is open. A gate is opened by the yes it asks for, to that very
 * digest; its action is begun once per yes; and only people open a credentialed one.
 */
export function gatesKept(): Watcher {
  const gates = new Map<string, Seen>();
  const order: string[] = [];
  const close = (phase: string | undefined): void => {
    const from = phase === undefined ? -1 : order.indexOf(phase);
    if (from === -1) return;
    for (const later of order.slice(from)) {
      const gate = gates.get(`phase:${later}`);
      if (gate !== undefined) Object.assign(gate, { open: false, approved: null, acted: false });
    }
  };
  const begin = ({ event, state }: Moment, say: Say): void => {
    if (event.type !== "AttemptStarted") return;
    const phase = state.steps[event.data.step]?.spec.phase;
    const before = phase === undefined ? undefined : order[order.indexOf(phase) - 1];
    if (before !== undefined && gates.get(`phase:${before}`)?.open !== true)
      say(`${event.data.attempt} began at ${String(event.seq)} although the gate of ${before} is closed`);
  };
  const pass = ({ event }: Moment, say: Say): void => {
    if (event.type !== "GatePassed") return;
    const gate = gates.get(event.data.gate);
    if (gate === undefined) return;
    if (gate.spec?.kind === "approval" && gate.approved?.digest !== event.data.digest)
      say(`${event.data.gate} is passed at ${String(event.seq)} without a yes to what it is about`);
    gate.open = true;
  };
  const approve = ({ event }: Moment, say: Say): void => {
    if (event.type !== "GateApproved") return;
    const gate = gates.get(event.data.gate);
    if (gate === undefined) return;
    if (gate.spec?.credentialed === true && ["policy", "expiry"].includes(event.data.by))
      say(`${event.data.gate} is opened by ${event.data.by} at ${String(event.seq)}`);
    gate.approved = event.data;
    gate.acted = false;
  };
  return {
    see(moment, say) {
      const { type, data, seq } = moment.event;
      if (type === "RunCreated")
        for (const { name, gate } of data.flow.phases) {
          order.push(name);
          gates.set(`phase:${name}`, { spec: gate, open: false, approved: null, acted: false });
        }
      begin(moment, say);
      pass(moment, say);
      approve(moment, say);
      if (type === "GateAsked" || type === "GateRejected") close(data.gate.replace(/^phase:/, ""));
      if (type === "StepReset" && wasDone(moment.state, data.step))
        close(moment.state.steps[data.step]?.spec.phase);
      if (type !== "EffectIntended" || data.effect.kind !== "RunAtGate" || data.effect.part !== "action")
        return;
      const gate = gates.get(data.effect.gate);
      if (gate?.acted === true)
        say(`the action of ${data.effect.gate} is begun again at ${String(seq)} without another yes`);
      if (gate !== undefined) gate.acted = true;
    },
  };
}

/** After the fold a step that was done and is to be done again looks like one that never was: its gate tells. */
const wasDone = (state: RunState, step: string): boolean => {
  const phase = state.steps[step]?.spec.phase;
  return phase !== undefined && state.gates[`phase:${phase}`]?.passed === false;
};
