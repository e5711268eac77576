import type { ReactElement } from "react";

export function App(): ReactElement {
  return <h1>Holdfast</h1>;
}
