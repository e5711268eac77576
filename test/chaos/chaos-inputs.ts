/**
 * `npm run chaos:inputs`: 300 nasty strings (or as many as the first argument says) through every input: task, folder,
 * session, model and environment of every headless agent, words to an agent, branches, files and messages of
 * worktrees, and the command line. What `npm test` does
 * with a few, with many; a file appears where one of them was executed, and none does.
 */
import { playBranches } from "../agents/nasty/nasty-branches.ts";
import { playCommands } from "../agents/nasty/nasty-commands.ts";
import { playSessions, playTalks } from "../agents/nasty/play-inputs.ts";

const count = Number(process.argv[2] ?? 300);
await playTalks(count);
console.log(`${String(count)} texts told to an agent: all arrived, nothing ran`);
await playSessions(count, console.log);
const branches = await playBranches(count);
console.log(`${String(count)} texts as branches, ${String(branches)} of them taken for one: nothing ran`);
// Each takes half a dozen processes: the longest part by far.
await playCommands(count, console.log);
console.log(`${String(count)} texts on the command line: nothing ran`);
