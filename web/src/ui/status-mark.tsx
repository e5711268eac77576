import type { ReactElement } from "react";
import { en } from "../text/en.ts";
import { STATUS_SHAPES, type StatusKind } from "./status-of.ts";

/** A shape, and the word for it; `isShort` keeps the word for readers of screens. */
export function StatusMark(props: {
  readonly kind: StatusKind;
  readonly word?: string | undefined;
  readonly isShort?: boolean;
}): ReactElement {
  const { kind, word = en.status[kind], isShort = false } = props;
  return (
    <span className={`status status-${kind}`} title={isShort ? word : undefined}>
      <span className="status-shape" aria-hidden="true">
        {STATUS_SHAPES[kind]}
      </span>
      <span className={isShort ? "visually-hidden" : "status-word"}>{word}</span>
    </span>
  );
}
