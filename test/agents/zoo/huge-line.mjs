// One line of 4 MB, and lives.
process.stdout.write(`{"type":"message","text":"${"y".repeat(4 * 1024 * 1024)}"}\n`);
setInterval(() => undefined, 60_000);
