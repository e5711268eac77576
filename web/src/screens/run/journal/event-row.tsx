import type { ReactElement } from "react";
import { Time } from "../../../ui/time.tsx";
import { Untrusted } from "../../../ui/untrusted.tsx";
import type { JournalEvent } from "../timeline/explain.ts";
import { eventText } from "./event-text.ts";

interface EventRowProps {
  readonly seq: number;
  /** Undefined while it is read. */
  readonly event: JournalEvent | undefined;
  readonly isChosen: boolean;
  /** Null: in its place of a list that flows. */
  readonly top: number | null;
  readonly onChoose: (seq: number) => void;
}

export function EventRow({ seq, event, isChosen, top, onChoose }: EventRowProps): ReactElement {
  return (
    <div
      className={`event-row ${top === null ? "event-flows" : ""}`}
      role="row"
      aria-rowindex={seq}
      aria-selected={isChosen}
      style={top === null ? undefined : { top }}
      onClick={() => onChoose(seq)}
    >
      <span role="gridcell" className="num muted">
        {seq}
      </span>
      <span role="gridcell" className="muted">
        {event === undefined ? "" : <Time at={event.at} as="clock" />}
      </span>
      <span role="gridcell" className="clip mono">
        {event?.type ?? "…"}
      </span>
      <span role="gridcell" className="clip event-text">
        {event !== undefined && <Untrusted text={eventText(event)} isLine charsMax={240} />}
      </span>
    </div>
  );
}
