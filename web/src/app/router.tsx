import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
  type RouterHistory,
} from "@tanstack/react-router";
import type { Source } from "../data/source.ts";
import { InboxScreen } from "../screens/inbox/inbox-screen.tsx";
import { readCompareSearch } from "../screens/compare/compare-search.ts";
import { readDoctorSearch } from "../screens/doctor/doctor-search.ts";
import { readInboxSearch } from "../screens/inbox/inbox-search.ts";
import { OverviewScreen } from "../screens/overview/overview-screen.tsx";
import { readRunSearch } from "../screens/run/run-search.ts";
import { readRunsSearch } from "../screens/runs/runs-search.ts";
import { RunsScreen } from "../screens/runs/runs-screen.tsx";
import { BrokenScreen } from "./broken-screen.tsx";
import { MissingScreen } from "./missing-screen.tsx";
import { parseSearch, stringifySearch } from "./search-text.ts";
import { Shell } from "./shell.tsx";

const root = createRootRoute({ component: Shell, notFoundComponent: MissingScreen });
const parent = { getParentRoute: () => root };

const runTab = createRoute({
  ...parent,
  path: "/runs/$run/$tab",
  component: lazyRouteComponent(() => import("../screens/run/run-screen.tsx"), "RunScreen"),
  validateSearch: readRunSearch,
});
const run = createRoute({
  ...parent,
  path: "/runs/$run",
  beforeLoad: ({ params }) => {
    // eslint-disable-next-line @typescript-eslint/only-throw-error -- how the router is told
    throw redirect({ to: "/runs/$run/$tab", params: { run: params.run, tab: "now" }, replace: true });
  },
});
const routes = [
  createRoute({ ...parent, path: "/", component: OverviewScreen }),
  createRoute({ ...parent, path: "/runs", component: RunsScreen, validateSearch: readRunsSearch }),
  run,
  runTab,
  createRoute({ ...parent, path: "/inbox", component: InboxScreen, validateSearch: readInboxSearch }),
  createRoute({
    ...parent,
    path: "/incidents",
    component: lazyRouteComponent(
      () => import("../screens/incidents/incidents-screen.tsx"),
      "IncidentsScreen",
    ),
  }),
  createRoute({
    ...parent,
    path: "/hosts",
    component: lazyRouteComponent(() => import("../screens/hosts/hosts-screen.tsx"), "HostsScreen"),
  }),
  createRoute({
    ...parent,
    path: "/continuous",
    component: lazyRouteComponent(
      () => import("../screens/continuous/continuous-screen.tsx"),
      "ContinuousScreen",
    ),
  }),
  createRoute({
    ...parent,
    path: "/continuous/$session",
    component: lazyRouteComponent(() => import("../screens/continuous/session-screen.tsx"), "SessionScreen"),
  }),
  createRoute({
    ...parent,
    path: "/missions",
    component: lazyRouteComponent(() => import("../screens/missions/missions-screen.tsx"), "MissionsScreen"),
  }),
  createRoute({
    ...parent,
    path: "/missions/$mission",
    component: lazyRouteComponent(() => import("../screens/missions/mission-screen.tsx"), "MissionScreen"),
  }),
  createRoute({
    ...parent,
    path: "/alarms",
    component: lazyRouteComponent(() => import("../screens/alarms/alarms-screen.tsx"), "AlarmsScreen"),
  }),
  createRoute({
    ...parent,
    path: "/deliveries",
    component: lazyRouteComponent(
      () => import("../screens/deliveries/deliveries-screen.tsx"),
      "DeliveriesScreen",
    ),
  }),
  createRoute({
    ...parent,
    path: "/compare",
    validateSearch: readCompareSearch,
    component: lazyRouteComponent(() => import("../screens/compare/compare-screen.tsx"), "CompareScreen"),
  }),
  createRoute({
    ...parent,
    path: "/doctor",
    validateSearch: readDoctorSearch,
    component: lazyRouteComponent(() => import("../screens/doctor/doctor-screen.tsx"), "DoctorScreen"),
  }),
] as const;

/** Every address of the pages. A file has one run, and its pages begin there. */
export function createAppRouter(source: Source, history?: RouterHistory) {
  const router = createRouter({
    routeTree: root.addChildren(routes),
    defaultErrorComponent: BrokenScreen,
    defaultPreload: false,
    parseSearch,
    stringifySearch,
    ...(history === undefined ? {} : { history }),
  });
  if (source.run !== null && router.history.location.pathname === "/")
    router.history.replace(`/runs/${encodeURIComponent(source.run)}/now`);
  return router;
}

declare module "@tanstack/react-router" {
  interface Register {
    readonly router: ReturnType<typeof createAppRouter>;
  }
}
