import { useLayoutEffect, useState, type RefObject } from "react";

/** How wide an element is. */
export function useWidth(box: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(900);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const look = (): void => setWidth(Math.max(200, element.clientWidth));
    const seen = new ResizeObserver(look);
    seen.observe(element);
    look();
    return () => seen.disconnect();
  }, [box]);
  return width;
}
