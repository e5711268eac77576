import type { Recorded } from "../model/events.ts";
import type { Signal } from "../model/signals.ts";
import { tellEvent, tellSignal } from "../views/tell-event.ts";

const SIGNALS_SHOWN_MAX = 20;

/** What somebody who watches a run is told of an event; nothing of what is only book-keeping. */
export function progressLines(event: Recorded): string[] {
  switch (event.type) {
    case "EffectIntended":
    case "RunStarted":
    case "BodyStepIntended":
    case "BodyDrew":
    case "BodySpent":
    case "NoticeQueued":
      return [];
    case "EffectSettled":
      return event.data.outcome.kind === "done" ? [] : [tellEvent(event)];
    case "RunClaimed":
      return event.data.from === "nobody" ? [] : [tellEvent(event)];
    case "SignalsHeard":
      return signalLines(event.data.attempt, event.data.signals);
    case "RunCreated":
    case "RequestHeard":
    case "RequestAnswered":
    case "RunStopping":
    case "RunPaused":
    case "RunResumed":
    case "RunBlocked":
    case "RunUnblocked":
    case "RunCompleted":
    case "RunFailed":
    case "RunCancelled":
    case "RunReopened":
    case "RunSalvaged":
    case "AttemptStarted":
    case "SessionObserved":
    case "AttemptEnding":
    case "AttemptEnded":
    case "StepSucceeded":
    case "StepRetryScheduled":
    case "StepFailed":
    case "StepReset":
    case "StepChecked":
    case "StepAdvised":
    case "AlarmSet":
    case "AlarmRang":
    case "AlarmDropped":
    case "CheckpointNoted":
    case "RunBudgetSet":
    case "EscalationRaised":
    case "EscalationResolved":
    case "NoticeRetryScheduled":
    case "NoticeDropped":
    case "BodyCreated":
    case "BodyStepEnded":
    case "BodyStepCleared":
    case "BodySlept":
    case "BodyWaited":
    case "BodySignalled":
    case "BodyWaitEnded":
    case "BodySpawned":
    case "BodyChildEnded":
    case "BodyLooped":
    case "BodyLogged":
    case "BodyBudgetSet":
    case "LimitReached":
      return [tellEvent(event)];
  }
}

function signalLines(attempt: string, signals: readonly Signal[]): string[] {
  const telling = signals.filter(({ kind }) => kind !== "ready" && kind !== "usage" && kind !== "context");
  const left = telling.length - SIGNALS_SHOWN_MAX;
  const lines = telling.slice(-SIGNALS_SHOWN_MAX).map((signal) => `${attempt}: ${tellSignal(signal)}`);
  return left > 0 ? [`${attempt}: ${String(left)} more signals before these`, ...lines] : lines;
}
