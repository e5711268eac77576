import { RouterProvider, type RouterHistory } from "@tanstack/react-router";
import { useState, type ReactElement } from "react";
import { DataProvider } from "../data/data-context.tsx";
import type { Source } from "../data/source.ts";
import { createAppRouter } from "./router.tsx";

/** All pages, on a source: a server, or an exported file (which brings a history that needs no server). */
export function App(props: { readonly source: Source; readonly history?: RouterHistory }): ReactElement {
  const { source, history } = props;
  const [router] = useState(() => createAppRouter(source, history));
  return (
    <DataProvider source={source}>
      <RouterProvider router={router} />
    </DataProvider>
  );
}
