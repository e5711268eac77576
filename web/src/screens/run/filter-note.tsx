import type { ReactElement } from "react";
import { en } from "../../text/en.ts";
import { Untrusted } from "../../ui/untrusted.tsx";
import { useSelection } from "./use-selection.ts";

/** Which attempt alone is shown, and how to show all. */
export function FilterNote(): ReactElement | null {
  const { search, select } = useSelection();
  if (search.attempt === undefined) return null;
  return (
    <span className="row filter-note">
      <Untrusted text={en.run.filter(search.attempt)} isLine />
      <button type="button" className="link" onClick={() => select({ attempt: undefined })}>
        {en.run.clearFilter}
      </button>
    </span>
  );
}
