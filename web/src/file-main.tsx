import "./data/no-eval.ts";
import { createHashHistory } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app/app.tsx";
import { startTheme } from "./app/theme.ts";
import { fileSource } from "./data/file-source.ts";
import { readEmbedded } from "./data/read-embedded.ts";

startTheme();
const place = document.getElementById("app");
if (place === null) throw new Error("the page has no element with the id app");
const source = fileSource(await readEmbedded("holdfast-export"));
createRoot(place).render(
  <StrictMode>
    <App source={source} history={createHashHistory()} />
  </StrictMode>,
);
