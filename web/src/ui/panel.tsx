import { useId, type ReactElement, type ReactNode } from "react";

/** A part of a screen under a heading, with what can be done about the whole of it on the right. */
export function Panel(props: {
  readonly title: string;
  readonly count?: number | undefined;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
  readonly className?: string;
}): ReactElement {
  const { title, count, actions, children, className = "" } = props;
  const id = useId();
  return (
    <section className={`panel ${className}`} aria-labelledby={id}>
      <header className="panel-head">
        <h2 id={id}>
          {title}
          {count !== undefined && <span className="panel-count num">{count}</span>}
        </h2>
        {actions}
      </header>
      {children}
    </section>
  );
}
