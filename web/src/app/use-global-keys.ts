import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { SEARCH_ID } from "./run-search.tsx";
import { SCREENS } from "./screens.ts";

const SECOND_KEY_MS = 1_500;

/** Keys that work on every screen. A field that is typed into gets its letters. */
export function useGlobalKeys(onHelp: () => void): void {
  const navigate = useNavigate();
  const help = useRef(onHelp);
  help.current = onHelp;
  useEffect(() => {
    // By when keys were pressed: a busy machine may hand them over late.
    let goUntil = 0;
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target))
        return;
      const { key, timeStamp } = event;
      const screen = timeStamp < goUntil ? SCREENS.find((one) => one.key === key) : undefined;
      goUntil = key === "g" ? timeStamp + SECOND_KEY_MS : 0;
      if (screen !== undefined) void navigate({ to: screen.to });
      else if (key === "?") help.current();
      else if (key === "/") document.getElementById(SEARCH_ID)?.focus();
      else if ((key === "j" || key === "ArrowDown") && document.activeElement === document.body) focusList();
      else return;
      event.preventDefault();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [navigate]);
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches("input:not([type=checkbox]), textarea, select, dialog *"));

const focusList = (): void =>
  document
    .querySelector<HTMLElement>('main [data-row][tabindex="0"], main [data-item][tabindex="0"]')
    ?.focus();
