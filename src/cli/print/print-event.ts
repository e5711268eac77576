import type { Recorded } from "../../model/events/events.ts";
import { Fault } from "../../model/fault.ts";
import { isoTime } from "../../model/text/iso-time.ts";
import { printableLine } from "../../model/text/printable.ts";
import { describeEvent } from "../../views/text/describe-event.ts";
import { didYouMean } from "../shell/nearest.ts";
import type { Output } from "./output.ts";

/** After one of these nothing more comes by itself: the run has ended, or waits for somebody. */
export const STANDING_EVENTS: readonly string[] = ["RunCompleted", "RunFailed", "RunCancelled", "RunBlocked"];

export function printEvent(output: Output, event: Recorded): void {
  const { run, seq, at, type, data, hash } = event;
  output.record({ run, seq, at, type, data, hash });
  output.line(`${String(seq).padStart(5)}  ${isoTime(at)}  ${type}  ${printableLine(describeEvent(event))}`);
}

/** The types that are wanted; null for all. */
export async function knownTypes(wanted: readonly string[] | undefined): Promise<ReadonlySet<string> | null> {
  if (wanted === undefined) return null;
  const { EVENT_TYPES } = await import("../../model/events/events.ts");
  const known: readonly string[] = EVENT_TYPES;
  for (const type of wanted)
    if (!known.includes(type))
      throw new Fault(
        "usage",
        `--type is "${type}", which is no type of event${didYouMean(type, known) || `; expected one of ${known.join(", ")}`}`,
      );
  return new Set(wanted);
}
