import { useEffect, type RefObject } from "react";

/** In a row of links that is wider than the window, the one whose page is open is seen. */
export function useActiveSeen(list: RefObject<HTMLElement | null>, active: string): void {
  useEffect(() => {
    const element = list.current;
    const link = element?.querySelector<HTMLElement>("[aria-current]");
    if (element === null || link === null || link === undefined) return;
    // Not `scrollIntoView`, which may move the page as well.
    const middle = link.offsetLeft - element.offsetLeft - (element.clientWidth - link.offsetWidth) / 2;
    element.scrollLeft = Math.max(0, middle);
  }, [list, active]);
}
