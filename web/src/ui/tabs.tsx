import { Link } from "@tanstack/react-router";
import { useRef, type KeyboardEvent, type ReactElement } from "react";
import { useActiveSeen } from "./use-active-seen.ts";

export interface TabItem {
  readonly id: string;
  readonly label: string;
  /** The address of the tab: each is a page, and a link. */
  readonly to: string;
}

/** Tabs that are links: they open in another window, and the address says which is open. Arrow keys move between them. */
export function Tabs(props: {
  readonly label: string;
  readonly items: readonly TabItem[];
  readonly active: string;
}): ReactElement {
  const { label, items, active } = props;
  const list = useRef<HTMLElement>(null);
  useActiveSeen(list, active);
  const move = (event: KeyboardEvent): void => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0 || list.current === null) return;
    const links = [...list.current.querySelectorAll("a")];
    const at = links.findIndex((link) => link === document.activeElement);
    links[(at + step + links.length) % links.length]?.focus();
    event.preventDefault();
  };
  return (
    <nav className="tabs" aria-label={label} ref={list} onKeyDown={move}>
      {items.map(({ id, label: name, to }) => (
        <Link key={id} to={to} className="tab" aria-current={id === active ? "page" : undefined}>
          {name}
        </Link>
      ))}
    </nav>
  );
}
