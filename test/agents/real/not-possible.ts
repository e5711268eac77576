/** Cells of the matrices that cannot be played, and why: none is left out in silence. */
const NOT_POSSIBLE: readonly { readonly agent: RegExp; readonly cell: RegExp; readonly why: string }[] = [
  {
    agent: / in tmux$/,
    cell: /^a loop that no remedy helped$/,
    why: "a screen shows no calls, so no loop is seen in it: only its limits end a program in a terminal",
  },
  {
    agent: /^pi .* in tmux$/,
    cell: /^an empty answer$/,
    why: "of a program in a terminal that nobody knows, all that its screen shows is its answer",
  },
];

export const whyNotPossible = (agent: string, cell: string): string | false =>
  NOT_POSSIBLE.find((one) => one.agent.test(agent) && one.cell.test(cell))?.why ?? false;
