// A family of terminal programs: prompts of every shape, and screens that ask for a choice. A program with a prompt
// records each text that is submitted as a line of JSON; one that asks writes the canary file at any key.
// Arguments: its name, the file to record to, the canary file.
import { appendFileSync } from "node:fs";

const [, , name, record, canary] = process.argv;
const out = (text) => process.stdout.write(text);
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const bite = (key) => appendFileSync(canary, `${JSON.stringify(key)}\n`);

/** Keys one by one; pastes are not marked. */
function onKeys(take) {
  process.stdin.setRawMode(true).setEncoding("utf8");
  process.stdin.on("data", (text) => {
    for (const key of text) take(key);
  });
}

/** A line of input: `show` draws it with what was typed so far. */
function editor(show, after = () => show("")) {
  let typed = "";
  onKeys((key) => {
    if (key === "\r" || key === "\n") {
      appendFileSync(record, `${JSON.stringify(typed)}\n`);
      typed = "";
      return after();
    }
    if (key === "\u007f" || key === "\b") typed = typed.slice(0, -1);
    else if (key === "\u0015") typed = "";
    else if (key >= " ") typed += key;
    show(typed);
  });
  show("");
}

/** The prompt on a line of its own, redrawn at each key. */
const prompt = (text, before = "") => {
  out(before);
  editor(
    (typed) => out(`\r\u001b[K${text}${typed}`),
    () => out(`\r\n\u001b[K${text}`),
  );
};
const asks = (screen) => {
  onKeys(bite);
  out(screen);
};
const rows = (...lines) => lines.join("\r\n");
const clear = "\u001b[2J\u001b[H";

const box = (typed, foot = "") =>
  out(
    `${clear}${rows("An agent", "", "╭──────────────────────────────╮", `│ > ${typed.padEnd(26)} │`, "╰──────────────────────────────╯", foot)}\u001b[4;${String(5 + typed.length)}H`,
  );

const FAMILY = {
  gt: () => prompt("> "),
  dollar: () => prompt("$ "),
  hash: () => prompt("root # "),
  percent: () => prompt("% "),
  named: () => prompt("agent> "),
  colon: () => prompt("Task: "),
  unicode: () => prompt("❯ "),
  counted: () => prompt("[1] > "),
  path: () => prompt("~/work (main) $ "),
  boxed: () => editor((typed) => box(typed)),
  alternate: () => {
    out("\u001b[?1049h");
    editor((typed) => box(typed, "tokens 0"));
  },
  twoLines: () => prompt("> ", rows("model: small  context: 0 %", "")),
  statusBelow: () =>
    editor((typed) =>
      out(
        `${clear}${rows("hello", `> ${typed}`, "", "ready | 0 tokens")}\u001b[2;${String(3 + typed.length)}H`,
      ),
    ),
  rightSide: () => editor((typed) => out(`\r\u001b[K\u001b[60Gno tasks\r> ${typed}`)),
  coloured: () => prompt("\u001b[1;32magent\u001b[0m \u001b[36m>\u001b[0m "),
  bells: () => prompt("\u0007> ", "\u0007\u0007welcome\r\n"),
  slow: async () => {
    await pause(4_000);
    prompt("> ");
  },
  spinner: async () => {
    for (let n = 0; n < 25; n += 1) {
      out(`\r${"⠋⠙⠹⠸"[n % 4]} loading`);
      await pause(100);
    }
    prompt("> ", "\r\u001b[K");
  },
  redraws: () => editor((typed) => out(`${clear}${rows("one", "two", "three", `agent> ${typed}`)}`)),
  placeholder: () =>
    editor((typed) =>
      out(`\r\u001b[K> ${typed === "" ? "\u001b[2mType your task\u001b[0m\r\u001b[2C" : typed}`),
    ),
  pointer: () => asks(rows("Run `rm -rf build`?", "", "❯ Allow", "  Always allow", "  Deny", "")),
  lit: () =>
    asks(`\u001b[?25l${rows("Run it?", "  \u001b[7mAllow once\u001b[0m", "  Always allow", "  Deny")}`),
  numbered: () => asks(rows("Pick a model", "1) small", "2) large", "Choice: ")),
  yesNo: () => asks("Do you trust this folder? [y/N] "),
  password: () => asks("Password for agent: "),
  more: () => asks(rows("line one", "line two", "--More--(12%)")),
  less: () => asks(rows("line one", "line two", ":")),
  anyKey: () => asks(rows("Welcome!", "Press any key to continue...")),
  buttons: () => asks(rows("Delete all files", "", "   < Yes >      < No >")),
  radio: () => asks(rows("Theme", "(*) dark", "( ) light", "Enter to select")),
  // Asks only once it has its task: then it must not be told anything.
  asksLater: () => {
    let typed = "";
    let isOpen = false;
    onKeys((key) => {
      if (isOpen) return bite(key);
      if (key === "\u007f") typed = typed.slice(0, -1);
      else if (key === "\u0015") typed = "";
      else if (key === "\r") {
        appendFileSync(record, `${JSON.stringify(typed)}\n`);
        isOpen = true;
        return out(rows("", "", "Run `make`?", "❯ Allow", "  Deny", ""));
      } else if (key >= " ") typed += key;
      out(`\r\u001b[K> ${typed}`);
    });
    out("> ");
  },
};

await FAMILY[name]();
