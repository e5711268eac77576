import { blockedReason } from "./blocked-reason.ts";
import { command } from "./command.ts";
import { driver } from "./driver.ts";
import { event } from "./event.ts";
import { rule } from "./rule.ts";
import type { Recipe } from "./recipe.ts";
import { copyTree, type TreeCopy } from "./tree-copy.ts";

export const RECIPES: readonly Recipe[] = [driver, event, blockedReason, rule, command];

const TYPES = ["node", "node_modules/typescript-native/bin/tsc", "-p"] as const;
const CHECKS: readonly (readonly [string, ...string[]])[] = [
  [...TYPES, "tsconfig.json"],
  [...TYPES, "tsconfig.pure.json"],
  ["depcruise", "--config", ".dependency-cruiser.mjs", "src"],
  ["node", "scripts/house/fold-version.ts", "--check"],
];

/** Follows a recipe on a copy of the checkout; answers what did not come out as the recipe says, and what was seen. */
export function followRecipe({ steps, asked, tests }: Recipe): string[] {
  const copy = copyTree();
  try {
    const [first, ...others] = steps;
    first?.(copy);
    const missed = asked.length === 0 ? [] : notAsked(copy, asked);
    for (const step of others) step(copy);
    return [...missed, ...failedChecks(copy), ...failedTests(copy, tests)];
  } finally {
    copy.remove();
  }
}

/** Files in which the compiler did not ask for the rest of a recipe that was begun. */
function notAsked(copy: TreeCopy, files: readonly string[]): string[] {
  const { output } = copy.run(...TYPES, "tsconfig.json");
  return files.filter((file) => !output.includes(file)).map((file) => `the compiler did not ask for ${file}`);
}

const failedChecks = (copy: TreeCopy): string[] =>
  CHECKS.flatMap(([program, ...args]) => {
    const { ok, output } = copy.run(program, ...args);
    return ok ? [] : [`${[program, ...args].join(" ")}\n${output}`];
  });

const failedTests = (copy: TreeCopy, tests: readonly string[]): string[] =>
  tests.flatMap((file) => {
    const { ok, output } = copy.run("node", "--test-reporter=tap", file);
    return ok
      ? []
      : [
          `${file}\n${output
            .split("\n")
            .filter((row) => /not ok|error:|rror/.test(row))
            .join("\n")}`,
        ];
  });
