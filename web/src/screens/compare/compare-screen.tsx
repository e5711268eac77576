import type { ReactElement } from "react";
import { en } from "../../text/en.ts";

export function CompareScreen(): ReactElement {
  return <h1>{en.nav.compare}</h1>;
}
