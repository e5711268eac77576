// A terminal program for tests: takes its task at a prompt, works on without one, and answers each line that it is typed.
// It asks its terminal who it is and writes to the clipboard at "query", asks a question at "ask", and prints the file
// that is its argument at "sequences".
import { readFileSync } from "node:fs";
const say = (text) => process.stdout.write(`${text}\r\n`);
process.stdin.setRawMode(true);
process.stdin.setEncoding("utf8");
process.stdout.write("> ");
let [line, hasTask, asks] = ["", false, false];
process.stdin.on("data", (text) => {
  for (const char of text) {
    if (/[ -~\u00a0-\uffff]/u.test(char)) {
      line += char;
      process.stdout.write(char);
      continue;
    }
    if (char !== "\r" || line === "") continue;
    process.stdout.write("\r\n");
    if (!hasTask) say("working");
    else if (asks) say(`answered: ${line}`);
    else say(`heard: ${line}`);
    asks = hasTask && line.endsWith("ask");
    if (line === "query")
      process.stdout.write("\u001b[c\u001b[6n\u001b]52;c;aGk=\u0007\u001b[?1004hqueried\r\n");
    if (line === "sequences")
      process.stdout.write(`${readFileSync(process.argv[2], "utf8")}\u001bc\r\nall printed\r\n`);
    if (asks) process.stdout.write("Allow this? (y/n) ");
    hasTask = true;
    line = "";
  }
});
