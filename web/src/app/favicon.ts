import { useEffect } from "react";

const COUNT_MAX = 99;

/** The number of people's items, in the title and in the icon of the tab. */
export function useTabCount(title: string, count: number): void {
  useEffect(() => {
    document.title = count === 0 ? title : `(${String(count)}) ${title}`;
    const link =
      document.querySelector<HTMLLinkElement>('link[rel="icon"]') ?? document.createElement("link");
    link.rel = "icon";
    link.type = "image/svg+xml";
    link.href = `data:image/svg+xml,${encodeURIComponent(icon(count))}`;
    document.head.append(link);
  }, [title, count]);
}

const icon = (count: number): string =>
  count === 0
    ? `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0a55c4"/><path d="M10 7v18M22 7v18M10 16h12" stroke="#fff" stroke-width="4" stroke-linecap="round"/></svg>`
    : `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#9a1279"/><text x="16" y="23" font-family="system-ui,sans-serif" font-size="19" font-weight="700" text-anchor="middle" fill="#fff">${count > COUNT_MAX ? "99" : String(count)}</text></svg>`;
