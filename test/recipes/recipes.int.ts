import assert from "node:assert/strict";
import { test } from "node:test";
import { restsToday } from "../day-sample.ts";
import { sourceText } from "../source-files.ts";
import { followRecipe, RECIPES } from "./follow-recipe.ts";

test("each recipe of CONTRIBUTING.md has a script that follows its steps, and no other", () => {
  const text = sourceText("CONTRIBUTING.md");
  const headings = [...text.matchAll(/^## (Add .*)$/gm)].map(([, heading]) => heading ?? "");
  const followed = RECIPES.map(({ heading }) => heading);
  // A part of the system is one row, which `npm test` reads before anything else.
  assert.deepEqual(
    headings.filter((heading) => heading !== "Add a part of the system").sort(),
    followed.sort(),
  );
  for (const { heading, steps } of RECIPES) {
    const part = text.split(`## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";
    assert.equal(part.match(/^\d+\. /gm)?.length, steps.length, heading);
  }
});

/** The checks of a whole copy take long: one recipe on one day in so many, and all of them one after the other. */
const DAYS = 3;

for (const [at, recipe] of RECIPES.entries()) {
  const skip = restsToday(at * DAYS, RECIPES.length * DAYS, "npm run recipes");
  test(`a copy of the checkout passes its checks after the recipe "${recipe.heading}"`, { skip }, () => {
    assert.deepEqual(followRecipe(recipe), []);
  });
}
