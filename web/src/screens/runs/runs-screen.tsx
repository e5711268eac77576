import type { ReactElement } from "react";
import { en } from "../../text/en.ts";

export function RunsScreen(): ReactElement {
  return <h1>{en.nav.runs}</h1>;
}
