// `npm run recipes`: follows each recipe of CONTRIBUTING.md on a copy of the checkout, and runs the checks and its tests
// there. `-- WORD` follows those whose heading contains the word.
import { followRecipe, RECIPES } from "../../test/recipes/follow-recipe.ts";

const [word = ""] = process.argv.slice(2);

for (const recipe of RECIPES.filter(({ heading }) => heading.includes(word))) {
  const problems = followRecipe(recipe);
  console.log(`${problems.length === 0 ? "holds" : "FAILS"} ${recipe.heading}`);
  for (const problem of problems) console.log(problem);
  if (problems.length > 0) process.exitCode = 1;
}
