import type { ErrorComponentProps } from "@tanstack/react-router";
import type { ReactElement } from "react";
import { en } from "../text/en.ts";
import { Untrusted } from "../ui/untrusted.tsx";

/** A screen whose code failed: the others still work. */
export function BrokenScreen({ error, reset }: ErrorComponentProps): ReactElement {
  return (
    <section className="problem" role="alert">
      <h2>{en.broken.title}</h2>
      <p>{en.broken.text}</p>
      <Untrusted text={error instanceof Error ? error.message : String(error)} isMono />
      <div>
        <button type="button" className="button button-main" onClick={reset}>
          {en.broken.again}
        </button>
      </div>
    </section>
  );
}
