import { useCallback, useEffect, useState, type RefObject } from "react";

export interface Visible {
  readonly from: number;
  readonly to: number;
}

const OVERSCAN = 6;
/** Drawn before the height of the list is known. */
const FIRST_ROWS = 40;

/** Which rows of a scrolled list are to be drawn: those that are seen, and a few around them. */
export function useWindow(
  box: RefObject<HTMLElement | null>,
  wish: {
    readonly rowHeight: number;
    readonly count: number;
    /** Where it is opened. */ readonly at?: number;
  },
): Visible {
  const { rowHeight, count, at = 0 } = wish;
  const [visible, see] = useState<Visible>(() => {
    const from = Math.max(0, Math.min(at, count - FIRST_ROWS));
    return { from, to: from + FIRST_ROWS };
  });
  const look = useCallback(() => {
    const element = box.current;
    if (element === null) return;
    const from = Math.max(0, Math.floor(element.scrollTop / rowHeight) - OVERSCAN);
    const to = Math.ceil((element.scrollTop + element.clientHeight) / rowHeight) + OVERSCAN;
    see((before) => (before.from === from && before.to === to ? before : { from, to }));
  }, [box, rowHeight]);
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const seen = new ResizeObserver(look);
    seen.observe(element);
    element.addEventListener("scroll", look, { passive: true });
    look();
    return () => {
      seen.disconnect();
      element.removeEventListener("scroll", look);
    };
  }, [box, look]);
  return { from: Math.min(visible.from, Math.max(0, count - 1)), to: Math.min(visible.to, count) };
}
