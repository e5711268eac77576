import { en } from "../text/en.ts";
import { SCREENS } from "./screens.ts";

export interface KeyEntry {
  readonly keys: readonly string[];
  readonly does: string;
}

export interface KeyArea {
  readonly area: string;
  readonly keys: readonly KeyEntry[];
}

const { keys: does } = en.help;

/** Every key of the pages, for the help; the screens act on them. */
export const KEY_MAP: readonly KeyArea[] = [
  {
    area: en.help.everywhere,
    keys: [
      { keys: ["?"], does: does.help },
      { keys: ["/"], does: does.search },
      { keys: ["Esc"], does: does.close },
      ...SCREENS.map(({ key, label }) => ({ keys: ["g", key], does: label })),
    ],
  },
  {
    area: en.help.list,
    keys: [
      { keys: ["j", "↓"], does: does.down },
      { keys: ["k", "↑"], does: does.up },
      { keys: ["Home"], does: does.first },
      { keys: ["End"], does: does.last },
      { keys: ["Enter"], does: does.open },
      { keys: ["x", "Space"], does: does.select },
      { keys: ["Ctrl+A"], does: does.selectAll },
    ],
  },
  {
    area: en.help.inbox,
    keys: [
      { keys: ["a"], does: does.approve },
      { keys: ["e"], does: does.edit },
      { keys: ["Enter"], does: does.answer },
      { keys: ["r"], does: does.reject },
      { keys: ["n"], does: does.notNow },
    ],
  },
  {
    area: en.help.run,
    keys: [
      { keys: ["[", "]"], does: does.tabs },
      { keys: ["F6"], does: does.leave },
    ],
  },
];
