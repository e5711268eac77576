import type { ReactElement } from "react";
import { en } from "../../text/en.ts";

export function InboxScreen(): ReactElement {
  return <h1>{en.nav.inbox}</h1>;
}
