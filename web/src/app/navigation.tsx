import { Link, useLocation } from "@tanstack/react-router";
import { useRef, type ReactElement } from "react";
import { en } from "../text/en.ts";
import { useActiveSeen } from "../ui/use-active-seen.ts";
import { SCREENS } from "./screens.ts";

export function Navigation({ needsYou }: { readonly needsYou: number }): ReactElement {
  const list = useRef<HTMLElement>(null);
  const path = useLocation({ select: ({ pathname }) => pathname });
  // A count that comes makes the row longer.
  useActiveSeen(list, `${path} ${String(needsYou)}`);
  return (
    <nav className="nav" aria-label={en.nav.label} ref={list}>
      {SCREENS.map(({ to, key, label }) => (
        <Link
          key={to}
          to={to}
          className="nav-link"
          activeOptions={{ exact: to === "/", includeSearch: false }}
          activeProps={{ className: "nav-link nav-link-active" }}
          aria-keyshortcuts={`g ${key}`}
        >
          {label}
          {to === "/inbox" && needsYou > 0 && <span className="nav-count num">{needsYou}</span>}
        </Link>
      ))}
    </nav>
  );
}
