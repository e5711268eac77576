import type { ReactElement } from "react";
import { en } from "../../text/en.ts";

export function AlarmsScreen(): ReactElement {
  return <h1>{en.nav.alarms}</h1>;
}
