import type { ReactElement } from "react";
import { en } from "../text/en.ts";

/** The shape of what is being read. */
export function Skeleton({ rows = 4 }: { readonly rows?: number }): ReactElement {
  return (
    <div className="skeleton" role="status" aria-label={en.loading}>
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} className={`skeleton-row skeleton-${String(row % 3)}`} />
      ))}
    </div>
  );
}
