import { useMemo, useState, type ReactElement, type ReactNode } from "react";
import { ActionLine } from "./action-line.ts";
import { CommandText } from "./command-text.tsx";

/** Buttons in a row, and below them the command of the one that is looked at; of the first, to begin with. */
export function ActionGroup(props: {
  readonly first: string | null;
  readonly children: ReactNode;
}): ReactElement {
  const { first, children } = props;
  const [shown, setShown] = useState<string | null>(null);
  const line = useMemo(() => ({ show: setShown }), []);
  const command = shown ?? first;
  return (
    <div className="action-group">
      <ActionLine value={line}>
        <div className="action-row">{children}</div>
      </ActionLine>
      {command !== null && <CommandText command={command} />}
    </div>
  );
}
