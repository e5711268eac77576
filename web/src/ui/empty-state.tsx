import type { ReactElement, ReactNode } from "react";
import { CommandText } from "./commands/command-text.tsx";

/** What would be here, and the command that makes it. */
export function EmptyState(props: {
  readonly title: string;
  readonly children?: ReactNode;
  readonly command?: string | undefined;
  readonly isSmall?: boolean;
}): ReactElement {
  const { title, children, command, isSmall = false } = props;
  return (
    <div className={isSmall ? "empty empty-small" : "empty"}>
      <p className="empty-title">{title}</p>
      {children !== undefined && <div className="muted">{children}</div>}
      {command !== undefined && <CommandText command={command} />}
    </div>
  );
}
