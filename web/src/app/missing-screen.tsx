import { Link } from "@tanstack/react-router";
import type { ReactElement } from "react";
import { en } from "../text/en.ts";
import { EmptyState } from "../ui/empty-state.tsx";

export function MissingScreen(): ReactElement {
  return (
    <EmptyState title={en.missing.title}>
      <Link to="/">{en.missing.back}</Link>
    </EmptyState>
  );
}
