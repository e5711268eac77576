import type { ReactElement } from "react";
import { en } from "../../text/en.ts";

export function DoctorScreen(): ReactElement {
  return <h1>{en.nav.doctor}</h1>;
}
