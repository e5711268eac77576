// Repeats each line of its stdin to its stdout as it is, and ends when there is no more.
import { createInterface } from "node:readline";

for await (const line of createInterface({ input: process.stdin })) console.log(line);
console.log("end of input");
