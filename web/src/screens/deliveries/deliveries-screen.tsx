import type { ReactElement } from "react";
import { en } from "../../text/en.ts";

export function DeliveriesScreen(): ReactElement {
  return <h1>{en.nav.deliveries}</h1>;
}
