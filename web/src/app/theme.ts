import { useSyncExternalStore } from "react";

export const THEMES = ["system", "light", "dark"] as const;
export type ThemeName = (typeof THEMES)[number];

export interface Theme {
  readonly name: ThemeName;
  readonly isHighContrast: boolean;
}

const KEY = "holdfast.theme";
const listeners = new Set<() => void>();
let current: Theme = { name: "system", isHighContrast: false };

/** As this browser was told last, before the first paint. */
export function startTheme(): void {
  current = stored();
  apply();
}

export function setTheme(theme: Theme): void {
  current = theme;
  try {
    localStorage.setItem(KEY, JSON.stringify(theme));
  } catch {
    // A browser that keeps nothing shows it all the same, until the page is closed.
  }
  apply();
  for (const listener of listeners) listener();
}

export const useTheme = (): Theme =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => current,
  );

function apply(): void {
  const { dataset } = document.documentElement;
  const wantsMore = window.matchMedia("(prefers-contrast: more)").matches;
  dataset["theme"] = current.name;
  dataset["contrast"] = current.isHighContrast || wantsMore ? "more" : "normal";
}

function stored(): Theme {
  try {
    const { name, isHighContrast } = JSON.parse(localStorage.getItem(KEY) ?? "{}") as Partial<Theme>;
    const known = THEMES.find((theme) => theme === name) ?? "system";
    return { name: known, isHighContrast: isHighContrast === true };
  } catch {
    return { name: "system", isHighContrast: false };
  }
}
