// Lives and says nothing.
setInterval(() => undefined, 60_000);
