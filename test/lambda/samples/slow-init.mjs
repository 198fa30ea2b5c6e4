// A bundle that takes too long to load.

await new Promise((resolve) => setTimeout(resolve, 60_000))
export const handler = async () => 'never'
