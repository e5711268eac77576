import { en } from "../text/en.ts";

/** The screens of the navigation, in order, and the key that leads there after `g`. */
export const SCREENS = [
  { to: "/", key: "o", label: en.nav.overview },
  { to: "/runs", key: "r", label: en.nav.runs },
  { to: "/inbox", key: "i", label: en.nav.inbox },
  { to: "/incidents", key: "n", label: en.nav.incidents },
  { to: "/hosts", key: "h", label: en.nav.hosts },
  { to: "/continuous", key: "t", label: en.nav.continuous },
  { to: "/missions", key: "m", label: en.nav.missions },
  { to: "/alarms", key: "a", label: en.nav.alarms },
  { to: "/deliveries", key: "d", label: en.nav.deliveries },
  { to: "/compare", key: "c", label: en.nav.compare },
  { to: "/doctor", key: "s", label: en.nav.doctor },
] as const;

export const titleOf = (path: string): string => {
  const [, run] = /^\/(?:runs|continuous|missions)\/([^/]+)/.exec(path) ?? [];
  const screen = SCREENS.find(({ to }) => to === path);
  return `${run === undefined ? (screen?.label ?? en.missing.title) : decodeURIComponent(run)} · ${en.name}`;
};
