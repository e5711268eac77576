import type { Page } from "playwright-core";

const STEPS_MAX = 400;

/** What can be pressed, typed into or chosen and that Tab, or the keys of the list or chart around it, never reach. */
export async function unreachable(page: Page): Promise<string[]> {
  await page.evaluate(BEGIN);
  for (let step = 0; step < STEPS_MAX; step += 1) {
    await page.keyboard.press("Tab");
    if ((await page.evaluate("reachedByKeys.note()")) === true) break;
  }
  return page.evaluate("reachedByKeys.left()");
}

const BEGIN = `(() => {
  const CONTROLS = "a[href], button:not(:disabled), input:not(:disabled), select, textarea, summary, [role=tab], [role=slider], [tabindex='0']";
  const reached = new Set(), unseen = [];
  const name = (node) => node.tagName.toLowerCase() + "." + String(node.getAttribute("class") ?? "") + " " +
    JSON.stringify((node.getAttribute("aria-label") ?? node.textContent ?? "").trim().replace(/\\s+/g, " ").slice(0, 40));
  const isShown = (node) => node.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  /** What moves among its parts by keys of its own is entered once. */
  const isEntered = (node) => {
    if (node.type === "radio") return [...reached].some((one) => one.type === "radio" && one.name === node.name);
    const around = node.parentElement?.closest("[role=tablist], [role=grid], [role=rowgroup], [role=application], [role=listbox], .inbox-list, ul, ol");
    return node.tabIndex < 0 && around != null && [...reached].some((one) => around.contains(one) || one.contains(node));
  };
  document.activeElement?.blur();
  window.reachedByKeys = {
    /** True once it has come round. */
    note() {
      const node = document.activeElement;
      if (node === null || node === document.body) return reached.size > 0;
      if (reached.has(node)) return true;
      reached.add(node);
      const { outlineStyle, boxShadow, borderColor } = getComputedStyle(node);
      if (isShown(node) && outlineStyle === "none" && boxShadow === "none" && node.tagName !== "MAIN") unseen.push("no sign of focus: " + name(node));
      return false;
    },
    left() {
      const left = [...document.querySelectorAll(CONTROLS)].filter((node) => isShown(node) && !reached.has(node) && !isEntered(node));
      return [...unseen, ...left.map(name)];
    },
  };
})()`;
