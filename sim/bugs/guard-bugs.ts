import type { RunEvent } from "../../src/model/events/events.ts";
import { withJudge } from "./bug-tools.ts";
import type { InjectedBug } from "../world/sim-options.ts";

/** Bugs around protected files. */
export const GUARD_BUGS = {
  /** Work is accepted without a look at the protected files. */
  acceptedUnguarded: (ports) =>
    withJudge(ports, (events, state) => {
      const [intended] = events;
      if (intended?.type !== "EffectIntended" || intended.data.effect.kind !== "GuardFiles") return events;
      const step = Object.values(state.steps).find(
        ({ checking, spec }) => checking?.guarded === "no" && spec.checks.length === 0,
      );
      if (step === undefined || step.checking === null || state.status !== "running") return events;
      const { attempt } = step.checking;
      const done: RunEvent = {
        type: "StepSucceeded",
        data: { step: step.spec.name, attempt, result: step.result },
      };
      return [{ type: "StepChecked", data: { step: step.spec.name, attempt, verdict: "pass" } }, done];
    }),
  /** A checkpoint is recorded when its files are about to be kept. */
  recordedUnkept: (ports) => ({
    ...ports,
    workspace: {
      ...ports.workspace,
      snapshot: (order) => {
        void ports.workspace.snapshot(order).catch(() => undefined);
        const facts = { key: order.key, tree: order.tree, project: order.project, atMs: order.atMs };
        const none = { count: 0, first: [] };
        return Promise.resolve({
          ...facts,
          id: `hoped for ${order.key}`,
          digest: "",
          files: "",
          note: null,
          head: { kind: "none" },
          fileCount: 1,
          read: { files: 0, bytes: 0 },
          skipped: none,
          whole: true,
        });
      },
    },
  }),
  /** Files are said to be brought back, and are not. */
  undoneBelieved: (ports) => ({
    ...ports,
    guard: {
      ...ports.guard,
      check: async (order) => ({ ...(await ports.guard.check({ ...order, undo: false })), undone: true }),
    },
  }),
} satisfies Record<string, InjectedBug>;
