import type { ReactElement } from "react";
import { en } from "../../text/en.ts";

export function OverviewScreen(): ReactElement {
  return <h1>{en.nav.overview}</h1>;
}
