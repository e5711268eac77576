export default {
  test: {
    globals: true,
    include: ["validation/*.spec.ts"],
    watch: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
};
