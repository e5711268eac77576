/**
 * `npm run chaos:inputs`: 300 nasty strings (or as many as the first argument says) through every input: task, folder,
 * session, model and environment of every headless agent, words to an agent, and the command line. What `npm test` does
 * with a few, with many; a file appears where one of them was executed, and none does.
 */
import { playCommands } from "../agents/nasty/nasty-commands.ts";
import { playSessions, playTalks } from "../agents/nasty/play-inputs.ts";

const count = Number(process.argv[2] ?? 300);
await playTalks(count);
console.log(`${String(count)} texts told to an agent: all arrived, nothing ran`);
await playSessions(count, console.log);
// Each takes half a dozen processes, so a tenth of them.
await playCommands(Math.max(2, Math.ceil(count / 10)));
console.log(`the command line: nothing ran`);
