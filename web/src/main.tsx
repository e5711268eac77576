import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app/app.tsx";
import { startTheme } from "./app/theme.ts";
import { liveSource } from "./data/live-source.ts";

startTheme();
const place = document.getElementById("app");
if (place === null) throw new Error("the page has no element with the id app");
createRoot(place).render(
  <StrictMode>
    <App source={liveSource()} />
  </StrictMode>,
);
