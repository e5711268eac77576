import type { ReactElement } from "react";
import { en } from "../../text/en.ts";

export function IncidentsScreen(): ReactElement {
  return <h1>{en.nav.incidents}</h1>;
}
