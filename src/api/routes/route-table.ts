import { continuousRoutes } from "./continuous-routes.ts";
import type { AnyRoute } from "./define-route.ts";
import { missionRoutes } from "./missions/mission-routes.ts";
import { runPages } from "./pages/run-pages.ts";
import { storePages } from "./pages/store-pages.ts";
import { runRoutes } from "./run-routes.ts";
import { storeRoutes } from "./store-routes.ts";
import { terminalRoutes } from "./terminal-routes.ts";
import { viewRoutes } from "./view-routes.ts";
import { writeRoutes } from "./write-routes.ts";

/** Every route, once: the server, the typed client, the document and the tests are made of this. */
export const ROUTES = [
  ...storeRoutes,
  ...runRoutes,
  ...viewRoutes,
  ...storePages,
  ...runPages,
  ...writeRoutes,
  ...continuousRoutes,
  ...missionRoutes,
  ...terminalRoutes,
] as const satisfies readonly AnyRoute[];

export type ApiRoutes = typeof ROUTES;
