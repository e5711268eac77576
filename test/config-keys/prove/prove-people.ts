import { jittered } from "../../../src/decide/dispatch/jitter.ts";
import type { Config } from "../../../src/model/settings/config.ts";
import { HOUR, Life, MINUTE, SECOND } from "../life.ts";
import { prove } from "../proof.ts";

const alarm = (life: Life, afterMs: number, note = "look"): string =>
  life.ask({ kind: "alarm", dueAt: life.now + afterMs, note }).split(":")[0] ?? "";

/** How many alarms are taken of six, each of which has rung or not before the next one is set. */
function alarmsTaken(config: Config, isRungBefore: boolean): number {
  const life = new Life(config);
  let taken = 0;
  for (let nth = 0; nth < 6; nth += 1) {
    if (alarm(life, MINUTE) === "done") taken += 1;
    if (isRungBefore) life.say({ kind: "progress", text: "on it" }).pass(2 * MINUTE);
  }
  return taken;
}

export const ALARM_PROOFS = [
  prove("alarms.pending", [1, 3], (config) => alarmsTaken(config, false), [1, 3]),
  prove("alarms.perRun", [2, 4], (config) => alarmsTaken(config, true), [2, 4]),
  prove("alarms.longestMs", [HOUR, 3 * HOUR], (config) => alarm(new Life(config), 2 * HOUR), [
    "refused",
    "done",
  ]),
  prove("alarms.noteChars", [3, 4], (config) => alarm(new Life(config), MINUTE, "look"), ["refused", "done"]),
];

/** After how long the session of a blocked run is suspended: of an agent at work, or of one that asked itself. */
function suspendedAfter(config: Config, asks: boolean): number {
  const life = new Life(config);
  life.say({ kind: "tool_call", name: "bash", args: "make" });
  if (asks) life.say({ kind: "blocked", reason: "needs_human", text: "which?" });
  else life.ask({ kind: "escalate", note: "look at it" });
  life.pass(3 * HOUR);
  const blockedAt = life.at("RunBlocked") ?? NaN;
  return (life.at("AttemptEnding", ({ to }) => to === "suspended") ?? NaN) - blockedAt;
}

export const SUSPENSION_PROOFS = [
  prove("suspend.turnMs", [MINUTE, 2 * MINUTE], (config) => suspendedAfter(config, false), [
    MINUTE,
    2 * MINUTE,
  ]),
  prove("suspend.waitMs", [HOUR, 2 * HOUR], (config) => suspendedAfter(config, true), [HOUR, 2 * HOUR]),
];

const CHANNEL = { use: "command", command: ["mail"] };
const OPS = { notify: { channels: { ops: CHANNEL } } };

/** A run that needs somebody, and a channel that fails to deliver, if it is to. */
function needsSomebody(config: Config, isDelivered: boolean): Life {
  const life = new Life(config, {
    answers: isDelivered ? {} : { Notify: () => ({ kind: "failed", text: "no answer", terminal: false }) },
  });
  life.ask({ kind: "escalate", note: "look at it" });
  return life;
}

const waits = (life: Life): number[] =>
  life.log.flatMap(({ at, event }) =>
    event.type === "NoticeRetryScheduled" ? [event.data.notBefore - at] : [],
  );

export const NOTICE_PROOFS = [
  prove(
    "notify.external",
    [[], ["ops"]],
    (config) => needsSomebody(config, true).effects("Notify").length,
    [1, 0],
    OPS,
  ),
  prove(
    "notify.remindMs",
    [HOUR, 3 * HOUR],
    (config) => {
      const life = needsSomebody(config, true).pass(12 * HOUR);
      return life.at("NoticeQueued", ({ notice }) => notice.kind === "reminder");
    },
    [HOUR, 3 * HOUR],
    OPS,
  ),
  prove(
    "notify.retryMs",
    [10 * SECOND, 20 * SECOND],
    (config) => waits(needsSomebody(config, false).pass(MINUTE))[0],
    [jittered(10 * SECOND, "run_1.e1/ops/1"), jittered(20 * SECOND, "run_1.e1/ops/1")],
    OPS,
  ),
  prove(
    "notify.retryCapMs",
    [5 * SECOND, 8 * SECOND],
    (config) => waits(needsSomebody(config, false).pass(MINUTE))[0],
    [jittered(5 * SECOND, "run_1.e1/ops/1"), jittered(8 * SECOND, "run_1.e1/ops/1")],
    OPS,
  ),
  prove(
    "notify.tries",
    [2, 4],
    (config) =>
      needsSomebody(config, false)
        .pass(12 * HOUR)
        .effects("Notify")
        .filter(({ notice }) => notice.kind === "escalation").length,
    [2, 4],
    OPS,
  ),
];

export const APPROVAL_PROOFS = [
  prove(
    "approve.plan",
    [true, false],
    (config) =>
      new Life(config, {
        steps: [
          { name: "plan", task: "plan it" },
          { name: "make", task: "make it", needs: ["plan"] },
        ],
      }).end().stands,
    ["awaiting_approval: approval_transition", "running"],
  ),
  prove(
    "gates.actionMs",
    [MINUTE, 5 * MINUTE],
    (config) => {
      const life = new Life(config, {
        steps: [{ name: "make", task: "make it", phase: "one" }],
        phases: [{ name: "one", gate: { name: "out", kind: "approval", action: { run: "deploy" } } }],
      }).end();
      life.ask({ kind: "approve" });
      return life.effects("RunAtGate").map(({ limitMs }) => limitMs);
    },
    [[MINUTE], [5 * MINUTE]],
  ),
  prove("approve.completion", [true, false], (config) => new Life(config).end().stands, [
    "awaiting_approval: approval_completion",
    "completed",
  ]),
];
