import type { Recipe } from "./recipe.ts";

export const rule: Recipe = {
  heading: "Add a rule",
  steps: [
    (copy) =>
      copy.before(
        "src/decide/rules/limit-rules.ts",
        "export const progressRule",
        `export const tideRule: Rule = {
  name: "tide",
  dueAt: ({ at, goal }) => due(goal === "wait for the tide" ? at + 1_500 : null),
};

`,
      ),
    (copy) => {
      copy.before("src/decide/rules.ts", "  timeRule,\n  uncountedRule", "  tideRule,\n");
      copy.before("src/decide/rules.ts", "  timeRule,\n  reviewRule", "  tideRule,\n");
    },
    (copy) =>
      copy.before(
        "test/decide/rule-cases.ts",
        '  {\n    title: "G5 requests are answered',
        `  {
    title: "H1 a run is looked at again when the tide turns",
    check(rules) {
      const state = { ...given(...IN_STATE.running), goal: "wait for the tide" };
      assert.equal(nextDeadline(state, state.at, rules), state.at + 1_500);
    },
  },
`,
      ),
  ],
  asked: [],
  tests: ["test/decide/rule-mutants.unit.ts"],
};
