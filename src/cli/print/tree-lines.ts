import { printableLine } from "../../model/text/printable.ts";
import { treeWords, type TreeNode } from "../../views/runs/program-tree.ts";

const NAME_CHARS_MAX = 80;
const WORDS_CHARS_MAX = 200;

/** The children and loops of a workflow function, indented by depth; nothing for a workflow function without any. */
export function treeLines(tree: TreeNode | null): string[] {
  if (
    tree === null ||
    (tree.children.length === 0 && tree.waitingFor.length === 0 && tree.sleepingUntil === null)
  )
    return [];
  return ["", `TREE  ${printableLine(treeWords(tree), WORDS_CHARS_MAX)}`, ...inside(tree, "  ")];
}

const inside = (node: TreeNode, indent: string): string[] => [
  ...node.children.flatMap((child) => [
    `${indent}${child.kind === "loop" ? "loop " : ""}${printableLine(child.name, NAME_CHARS_MAX)}: ${printableLine(treeWords(child), WORDS_CHARS_MAX)}`,
    ...inside(child, `${indent}  `),
  ]),
  ...(node.more === 0 ? [] : [`${indent}and ${String(node.more)} more`]),
];
