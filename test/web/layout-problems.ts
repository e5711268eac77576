import type { Page } from "playwright-core";

/**
 * What a person would call broken, by the boxes of what is on a page: text that is cut without a sign of it, controls
 * or words that lie on each other, and anything that makes the page itself wider than the window.
 */
export const layoutProblems = (page: Page): Promise<string[]> => page.evaluate(PROBLEMS);

const PROBLEMS = `(() => {
  const problems = [];
  const name = (node) => {
    const text = (node.textContent ?? "").trim().replace(/\\s+/g, " ").slice(0, 40);
    return node.tagName.toLowerCase() + "." + String(node.getAttribute("class") ?? "").split(" ").join(".") + " " + JSON.stringify(text);
  };
  const { clientWidth, scrollWidth } = document.documentElement;
  if (scrollWidth > clientWidth + 1) {
    const wide = [...document.querySelectorAll("body *")].filter((node) => node.getBoundingClientRect().right > clientWidth + 1 && !scrolls(node));
    problems.push("the page is " + (scrollWidth - clientWidth) + " px wider than the window: " + wide.slice(0, 3).map(name).join("; "));
  }
  function scrolls(node) {
    for (let at = node.parentElement; at !== null && at !== document.body; at = at.parentElement)
      if (/auto|scroll|hidden|clip/.test(getComputedStyle(at).overflowX)) return true;
    return false;
  }
  const isShown = (node) => node.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const isHiddenFromEyes = (node) => node.closest(".visually-hidden, .skip") !== null;
  const texts = [...document.querySelectorAll("body *")].filter((node) =>
    isShown(node) && !isHiddenFromEyes(node) && [...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim() !== ""));
  for (const node of texts) {
    const style = getComputedStyle(node);
    const cutsX = /hidden|clip/.test(style.overflowX) && style.textOverflow !== "ellipsis";
    if (cutsX && node.scrollWidth > node.clientWidth + 1 && node.clientWidth > 0) problems.push("cut at its side: " + name(node));
    if (/hidden|clip/.test(style.overflowY) && style.webkitLineClamp === "none" && node.scrollHeight > node.clientHeight + 2 && node.clientHeight > 0)
      problems.push("cut at its foot: " + name(node));
  }
  const controls = [...document.querySelectorAll("button, a[href], input, select, textarea, [role=tab], [role=row] [tabindex]")]
    .filter((node) => isShown(node) && !isHiddenFromEyes(node));
  const boxes = controls.map((node) => ({ node, box: visibleBox(node) })).filter(({ box }) => box !== null);
  function visibleBox(node) {
    return clipped(node.getBoundingClientRect(), node.parentElement);
  }
  function clipped(box, within) {
    let { left, right, top, bottom } = box;
    for (let at = within; at !== null; at = at.parentElement) {
      if (!/auto|scroll|hidden|clip/.test(getComputedStyle(at).overflow)) continue;
      const edge = at.getBoundingClientRect();
      left = Math.max(left, edge.left); right = Math.min(right, edge.right);
      top = Math.max(top, edge.top); bottom = Math.min(bottom, edge.bottom);
    }
    return right - left > 2 && bottom - top > 2 ? { left, right, top, bottom } : null;
  }
  for (let one = 0; one < boxes.length; one += 1)
    for (let two = one + 1; two < boxes.length; two += 1) {
      const a = boxes[one], b = boxes[two];
      if (a.node.contains(b.node) || b.node.contains(a.node)) continue;
      if (floats(a.node) !== floats(b.node)) continue;
      const width = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
      const height = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
      if (width > 2 && height > 2) problems.push("overlap: " + name(a.node) + " and " + name(b.node));
    }
  // Words that are written over other words.
  const lines = texts.flatMap((node) =>
    [...node.childNodes].filter((child) => child.nodeType === 3 && child.data.trim() !== "").flatMap((child) => {
      const range = document.createRange();
      range.selectNodeContents(child);
      return [...range.getClientRects()].slice(0, 20).flatMap((rect) => clipped(rect, node) ?? []).map((box) => ({ node, box }));
    })).slice(0, 3000).sort((one, other) => one.box.top - other.box.top);
  for (let one = 0; one < lines.length; one += 1)
    for (let two = one + 1; two < lines.length && lines[two].box.top < lines[one].box.bottom - 3; two += 1) {
      const a = lines[one], b = lines[two];
      if (a.node === b.node || floats(a.node) !== floats(b.node)) continue;
      const width = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
      const height = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
      if (width > 2 && height > 3) problems.push("words over words: " + name(a.node) + " and " + name(b.node));
    }
  // What stays in its place while the rest scrolls below it covers that on purpose.
  function floats(node) {
    for (let at = node; at !== null && at !== document.body; at = at.parentElement)
      if (/fixed|sticky/.test(getComputedStyle(at).position)) return true;
    return false;
  }
  return problems;
})()`;
