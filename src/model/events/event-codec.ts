import { APART_MEMBER } from "../state/bound-tree.ts";
import { EVENTS, type EventType, type RunEvent } from "./events.ts";
import { Fault, invariant } from "../fault.ts";
import { UPCASTERS, type Upcast } from "./upcasters.ts";

export const isEventType = (type: string): type is EventType => Object.hasOwn(EVENTS, type);

/** The stored text of an event's data. */
export const encodeEventData = (event: RunEvent): string => JSON.stringify(event.data);

/** Follows upcasters from a stored type to one of today. Bounded, so that a circle among them cannot hang a reader. */
export function upcast(stored: Upcast, upcasters: typeof UPCASTERS = UPCASTERS): Upcast {
  let current = stored;
  for (let steps = 0; steps < 50; steps += 1) {
    const next = Object.hasOwn(upcasters, current.type) ? upcasters[current.type] : undefined;
    if (next === undefined) return current;
    current = next(current.data);
  }
  throw new Fault("broken_promise", `upcasters of event type "${stored.type}" do not come to an end`);
}

/** Turns stored type and text into an event, or throws `event_unknown` naming what was found and what to do. */
export function decodeEvent(type: string, text: string): RunEvent {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (cause) {
    throw new Fault("journal_damaged", `the data of an event of type "${type}" is not JSON`, { cause });
  }
  invariant(
    typeof parsed !== "object" || parsed === null || !Object.hasOwn(parsed, APART_MEMBER),
    "large values are put in their places before an event is decoded",
  );
  return decodeEventData(type, parsed);
}

/** The same for data that was read from its text already. */
export function decodeEventData(type: string, parsed: unknown): RunEvent {
  const current = upcast({ type, data: parsed });
  if (!isEventType(current.type))
    throw new Fault(
      "event_unknown",
      `the journal holds an event of type "${type}", which this version does not know; open it with the version that wrote it or a newer one`,
    );
  const checked = EVENTS[current.type].data.safeParse(current.data);
  if (!checked.success)
    throw new Fault(
      "event_unknown",
      `the journal holds a ${type} whose data does not fit its schema: ${checked.error.issues
        .map((issue) => `${issue.path.join(".")} ${issue.message}`)
        .join("; ")}`,
    );
  return { type: current.type, data: checked.data } as RunEvent;
}
