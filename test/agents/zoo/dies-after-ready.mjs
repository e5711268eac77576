// Says that it is ready, and dies.
process.stdout.write('{"type":"ready"}\n', () => process.exit(3));
